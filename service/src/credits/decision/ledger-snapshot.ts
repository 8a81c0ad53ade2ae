import { utcDay, dayMs } from '../../foundation/clock.ts'

/** An environment, as the environment that credits belong to. */
export interface PayingEnvironment {
  id: number
  /** Granted minus captured. */
  balance: number
  /** Set aside for calls that are still running. */
  held: number
  /** What its keys may spend together in a month; null = no budget. */
  budget: number | null
  suspended: boolean
  billingBlocked: boolean
  /** A balance below it is notified. */
  lowBelow: number
  /** Whether it was, since the balance was last high enough. */
  lowNotified: boolean
  /** The part of a ceiling from which on it is notified as nearly spent. */
  nearPercent: number
}

export interface PayingKey {
  id: string
  environmentId: number
  /** The first key of a chain of rotations: all keys of the chain share its months and days. */
  spendId: string
  /** Per month. */
  ceiling: number | null
  dailyCeiling: number | null
  /** The start of the first day that is counted; null = days are not counted. */
  daysFrom: number | null
  expiresAt: number | null
  /** -Infinity once it is revoked. May lie ahead: a rotated key lives on for its overlap. */
  revokedAt: number | null
}

/** What was spent in a month or a day, by the keys of a chain or, in a month, by an environment with a budget. */
export interface SpendPeriod {
  spendId: string
  /** `2026-11` or `2026-11-14`. */
  period: string
  captured: number
  held: number
  /** The limits that were notified as nearly spent, and as spent; null = not yet. */
  nearNotified: number | null
  reachedNotified: number | null
}

/** Where no alert is set: notified when nothing is left, and at 80 % of a ceiling. */
export const usualAlerts = { lowBelow: 1, nearPercent: 80 } as const

/** A period in which nothing was spent yet. */
export function noSpending(spendId: string, period: string): SpendPeriod {
  return { spendId, period, captured: 0, held: 0, nearNotified: null, reachedNotified: null }
}

/** A hold, and what it becomes, count in the month and day in which it was placed. */
export interface Hold {
  /** The id of the request that placed it. */
  id: string
  environmentId: number
  keyId: string
  spendId: string
  month: string
  amount: number
  placedAt: number
  expiresAt: number
  /** The running idempotency record that ends with the hold. */
  idempotencyHash: string | null
}

/** What is remembered under one idempotency value of one environment. */
export interface IdempotencyRecord {
  environmentId: number
  hash: string
  /** Of the request; empty once its subject was erased, and then it fits every one. */
  fingerprint: string
  state: 'running' | 'done'
  requestId: string
  versionId: number | null
  foldId?: number | null
  source: string | null
  createdAt: number
  /** Running: when its process is given up. Done: when it is forgotten. */
  expiresAt: number
}

/** When an environment last paid for a record, kept only while repeats are free. */
export interface PaidRecord {
  environmentId: number
  entityId: number
  paidAt: number
}

/** All that a decision depends on. The maps need only hold what the requests at hand touch. */
export interface LedgerSnapshot {
  keys: ReadonlyMap<string, PayingKey>
  environments: ReadonlyMap<number, PayingEnvironment>
  periods: ReadonlyMap<string, SpendPeriod>
  holds: ReadonlyMap<string, Hold>
  idempotencyRecords: ReadonlyMap<string, IdempotencyRecord>
  paid: ReadonlyMap<string, PaidRecord>
}

/** The key of a period in a snapshot. */
export const periodKey = (spendId: string, period: string): string => `${spendId} ${period}`

/** Under what an environment's own months are counted. No key has such an id. */
export const environmentSpendId = (environmentId: number): string => `${environmentSpendPrefix}${environmentId}`
export const environmentSpendPrefix = 'environment '

/** The key of an idempotency record in a snapshot: one value in two environments is two records. */
export const idempotencyRecordKey = (environmentId: number, hash: string): string => `${environmentId} ${hash}`

/** The key of a paid record in a snapshot. */
export const paidKey = (environmentId: number, entityId: number): string => `${environmentId} ${entityId}`

/** When a spend counts. */
export interface SpendDate {
  month: string
  day: string
  dayStartsAt: number
  /** When the day and the month are over, and their ceilings begin again. */
  dayEndsAt: number
  monthEndsAt: number
}

const calendar = new Map<number, SpendDate>()

/** The UTC day and month of a moment. Kept by day, because every request of a batch asks. */
export function spendDate(at: number): SpendDate {
  const number = Math.floor(at / dayMs)
  const known = calendar.get(number)
  if (known !== undefined) return known
  const day = utcDay(at)
  const [year, month] = [Number(day.slice(0, 4)), Number(day.slice(5, 7))]
  const dayStartsAt = number * dayMs
  const ends = { dayEndsAt: dayStartsAt + dayMs, monthEndsAt: Date.UTC(year, month) }
  const made = { month: day.slice(0, 7), day, dayStartsAt, ...ends }
  calendar.set(number, made)
  return made
}

/** Whether the key's spending of a day is counted by the day. */
export function countsDay({ daysFrom }: PayingKey, { dayStartsAt }: SpendDate): boolean {
  return daysFrom !== null && daysFrom <= dayStartsAt
}
