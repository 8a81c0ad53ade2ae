import { utcMonth } from '../../foundation/clock.ts'

/** An environment, as the account that credits belong to. */
export interface Account {
  id: number
  /** Granted minus captured. */
  balance: number
  /** Set aside for calls that are still running. */
  held: number
  suspended: boolean
  billingBlocked: boolean
}

export interface PayingKey {
  id: string
  accountId: number
  /** The first key of a chain of rotations: all keys of the chain share its months. */
  spendId: string
  ceiling: number | null
  expiresAt: number | null
  /** May lie ahead: a rotated key lives on for its overlap. */
  revokedAt: number | null
}

export interface SpendMonth {
  spendId: string
  month: string
  captured: number
  held: number
}

export interface Hold {
  /** The id of the request that placed it. */
  id: string
  accountId: number
  keyId: string
  spendId: string
  /** A hold, and what it becomes, count in the month in which it was placed. */
  month: string
  amount: number
  placedAt: number
  expiresAt: number
  /** The running mark that ends with the hold. */
  idempotencyHash: string | null
}

/** What is remembered under one idempotency value of one account. */
export interface Mark {
  accountId: number
  hash: string
  fingerprint: string
  state: 'running' | 'done'
  requestId: string
  versionId: number | null
  source: string | null
  createdAt: number
  /** Running: when its process is given up. Done: when it is forgotten. */
  expiresAt: number
}

/** When an account last paid for a record, kept only while repeats are free. */
export interface PaidRecord {
  accountId: number
  entityId: number
  paidAt: number
}

/** All that a decision depends on. The maps need only hold what the requests at hand touch. */
export interface LedgerSnapshot {
  keys: ReadonlyMap<string, PayingKey>
  accounts: ReadonlyMap<number, Account>
  months: ReadonlyMap<string, SpendMonth>
  holds: ReadonlyMap<string, Hold>
  marks: ReadonlyMap<string, Mark>
  paid: ReadonlyMap<string, PaidRecord>
}

/** The key of a month in a snapshot. */
export const monthKey = (spendId: string, month: string): string => `${spendId} ${month}`

/** The key of a mark in a snapshot: one value in two accounts is two marks. */
export const markKey = (accountId: number, hash: string): string => `${accountId} ${hash}`

/** The key of a paid record in a snapshot. */
export const paidKey = (accountId: number, entityId: number): string => `${accountId} ${entityId}`

const dayMs = 86_400_000
const monthOfDay = new Map<number, string>()

/** The UTC calendar month of a moment, `2026-11`. Kept by day, because every request of a batch asks. */
export function monthOf(at: number): string {
  const day = Math.floor(at / dayMs)
  const known = monthOfDay.get(day)
  if (known !== undefined) return known
  const month = utcMonth(at)
  monthOfDay.set(day, month)
  return month
}
