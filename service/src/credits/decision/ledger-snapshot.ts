import { utcDay, dayMs } from '../../foundation/clock.ts'

/** The credit account of an environment. */
export interface PayingEnvironment {
  id: number
  /** Granted minus captured. */
  balance: number
  /** Credits reserved for calls in progress. */
  held: number
  /** The limit on the monthly spending of all its keys together; null = no budget. */
  budget: number | null
  suspended: boolean
  billingBlocked: boolean
  /** The balance below which an alert is sent. */
  lowBelow: number
  /** Whether that alert was sent since the balance was last high enough. */
  lowNotified: boolean
  /** The percentage of a ceiling at which an alert is sent. */
  nearPercent: number
}

export interface PayingKey {
  id: string
  environmentId: number
  /** The first key of a rotation chain: all keys of the chain share its months and days. */
  spendId: string
  /** Credits per month. */
  ceiling: number | null
  dailyCeiling: number | null
  /** The start of the first counted day; null = days are not counted. */
  daysFrom: number | null
  expiresAt: number | null
  /** -Infinity once it is revoked. It may lie in the future: a rotated key stays valid for its overlap. */
  revokedAt: number | null
}

/** Spending of a rotation chain in a month or a day, or of an environment with a budget in a month. */
export interface SpendPeriod {
  spendId: string
  /** `2026-11` or `2026-11-14`. */
  period: string
  captured: number
  held: number
  /** The limits for which a near or reached alert was sent; null = none was sent. */
  nearNotified: number | null
  reachedNotified: number | null
}

/** Defaults: alert when no credits are left, and at 80 % of a ceiling. */
export const usualAlerts = { lowBelow: 1, nearPercent: 80 } as const

/** A period without spending. */
export function noSpending(spendId: string, period: string): SpendPeriod {
  return { spendId, period, captured: 0, held: 0, nearNotified: null, reachedNotified: null }
}

/** A hold and its outcome count in the month and day in which the hold was placed. */
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
  /** The running idempotency record, which ends with the hold. */
  idempotencyHash: string | null
}

/** The record of one idempotency value in one environment. */
export interface IdempotencyRecord {
  environmentId: number
  hash: string
  /** The fingerprint of the request. It is empty once its subject was erased; an empty one matches every request. */
  fingerprint: string
  state: 'running' | 'done'
  requestId: string
  versionId: number | null
  foldId?: number | null
  source: string | null
  createdAt: number
  /** Running: when its process is presumed dead. Done: when the record is deleted. */
  expiresAt: number
}

/** When an environment last paid for a record; kept only while repeats are free. */
export interface PaidRecord {
  environmentId: number
  entityId: number
  paidAt: number
}

/** Everything that a decision depends on. The maps only need what the requests at hand touch. */
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

/** The spend id of an environment's own months. No key has such an id. */
export const environmentSpendId = (environmentId: number): string => `${environmentSpendPrefix}${environmentId}`
export const environmentSpendPrefix = 'environment '

/** The key of an idempotency record in a snapshot: the same value in two environments makes two records. */
export const idempotencyRecordKey = (environmentId: number, hash: string): string => `${environmentId} ${hash}`

/** The key of a paid record in a snapshot. */
export const paidKey = (environmentId: number, entityId: number): string => `${environmentId} ${entityId}`

/** The month and day in which a spend counts. */
export interface SpendDate {
  month: string
  day: string
  dayStartsAt: number
  /** When the day and the month end and their ceilings reset. */
  dayEndsAt: number
  monthEndsAt: number
}

const calendar = new Map<number, SpendDate>()

/** The UTC day and month of a time. Cached per day, because every request of a batch asks for it. */
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

/** Whether this key's spending is counted on that day. */
export function countsDay({ daysFrom }: PayingKey, { dayStartsAt }: SpendDate): boolean {
  return daysFrom !== null && daysFrom <= dayStartsAt
}
