import {
  environmentSpendId,
  countsDay,
  idempotencyRecordKey,
  periodKey,
  spendDate,
  type PayingEnvironment,
  type LedgerSnapshot,
  type PayingKey,
  type SpendDate,
  noSpending,
} from './ledger-snapshot.ts'
import type { LimitMet, outOfMoney } from '../../foundation/failure.ts'
import type { RefusalCode, SettleRequest, RemainingCredits, Verdict } from './settlement-requests.ts'
import type { NewEvent } from '../../events/outbox/event.ts'
import { environmentIn, type LedgerDraft } from './ledger-draft.ts'

/** Why the key may not pay at this time; null if it may. */
export function keyRefusal(environment: PayingEnvironment, key: PayingKey, at: number): RefusalCode | null {
  if (key.revokedAt !== null && key.revokedAt <= at) return 'revoked_api_key'
  if (key.expiresAt !== null && key.expiresAt <= at) return 'expired_api_key'
  if (environment.suspended) return 'project_suspended'
  if (environment.billingBlocked) return 'billing_blocked'
  return null
}

/** The verdict of the request's idempotency record; null = continue. */
export function idempotencyVerdict(snapshot: LedgerSnapshot, request: SettleRequest): Verdict | null {
  if (!request.idempotency) return null
  const known = snapshot.idempotencyRecords.get(idempotencyRecordKey(request.environmentId, request.idempotency.hash))
  if (!known || known.expiresAt <= request.at) return null
  if (known.state === 'running' && known.requestId === request.requestId) return null
  const isErased = known.fingerprint === ''
  if (!isErased && known.fingerprint !== request.idempotency.fingerprint) return { outcome: 'mismatch' }
  if (known.state === 'done') {
    const source = known.source === 'stale_fallback' ? 'stale_fallback' : 'store'
    const { requestId, versionId, foldId = null } = known
    return { outcome: 'replay', requestId, versionId, foldId, source }
  }
  // A capture meets another request's running record only if its own was presumed dead. The first to finish pays.
  if (request.type === 'capture') return null
  return { outcome: 'running', requestId: known.requestId, expiresAt: known.expiresAt }
}

interface FundsRefusal {
  code: (typeof outOfMoney)[number]
  limit: LimitMet
}

/**
 * Whether an amount fits the key's ceilings, the environment's credits and its budget. A price of 0 is never refused.
 */
export function fundsRefusal(
  snapshot: LedgerSnapshot,
  environment: PayingEnvironment,
  key: PayingKey,
  date: SpendDate,
  amount: number,
): FundsRefusal | null {
  if (amount === 0) return null
  const { dayEndsAt, monthEndsAt } = date
  const met = (code: FundsRefusal['code'], limit: Omit<LimitMet, 'asked'>) => ({
    code,
    limit: { ...limit, asked: amount },
  })
  const ofMonth = leftOfMonth(snapshot, key, date)
  if (ofMonth < amount)
    return met('credit_ceiling_reached', { limit: 'month', of: key.ceiling, left: ofMonth, renewsAt: monthEndsAt })
  const ofDay = leftOfDay(snapshot, key, date)
  if (ofDay < amount)
    return met('credit_ceiling_reached', { limit: 'day', of: key.dailyCeiling, left: ofDay, renewsAt: dayEndsAt })
  const credits = environment.balance - environment.held
  if (credits < amount) return met('out_of_credits', { limit: 'credits', of: null, left: credits, renewsAt: null })
  const ofBudget = leftOfBudget(snapshot, environment, date)
  if (ofBudget < amount)
    return met('out_of_credits', { limit: 'budget', of: environment.budget, left: ofBudget, renewsAt: monthEndsAt })
  return null
}

/**
 * The caller's remaining credits: those of the environment, and of the key's ceilings for the current day and month.
 */
export function remainingCreditsOf(
  snapshot: LedgerSnapshot,
  request: { environmentId: number; keyId: string; at: number },
): RemainingCredits {
  const environment = snapshot.environments.get(request.environmentId)
  const key = snapshot.keys.get(request.keyId)
  const available = environment ? environment.balance - environment.held : 0
  if (!key) return { available, ...noCeiling }
  const today = spendDate(request.at)
  return { available, ...lowestCeiling(leftOfMonth(snapshot, key, today), leftOfDay(snapshot, key, today), request.at) }
}

const noCeiling = { ceilingRemaining: null, ceilingResetsAt: null }

/** The ceiling with the least remaining. If both have the same amount left, the month's end is the reset that helps. */
export function lowestCeiling(ofMonth: number, ofDay: number, at: number): Omit<RemainingCredits, 'available'> {
  const left = Math.min(ofMonth, ofDay)
  if (left === Infinity) return noCeiling
  const { dayEndsAt, monthEndsAt } = spendDate(at)
  return { ceilingRemaining: Math.max(0, left), ceilingResetsAt: ofDay < ofMonth ? dayEndsAt : monthEndsAt }
}

function leftOfMonth(snapshot: LedgerSnapshot, { ceiling, spendId }: PayingKey, { month }: SpendDate): number {
  return ceiling === null ? Infinity : ceiling - spentIn(snapshot, spendId, month)
}

function leftOfDay(snapshot: LedgerSnapshot, key: PayingKey, date: SpendDate): number {
  if (key.dailyCeiling === null || !countsDay(key, date)) return Infinity
  return key.dailyCeiling - spentIn(snapshot, key.spendId, date.day)
}

function leftOfBudget(snapshot: LedgerSnapshot, { id, budget }: PayingEnvironment, { month }: SpendDate): number {
  return budget === null ? Infinity : budget - spentIn(snapshot, environmentSpendId(id), month)
}

function spentIn(snapshot: LedgerSnapshot, spendId: string, period: string): number {
  const spent = snapshot.periods.get(periodKey(spendId, period))
  return spent ? spent.captured + spent.held : 0
}

/** A ledger step that may trigger alerts. */
interface Step {
  environmentId: number
  key: PayingKey
  date: SpendDate
  at: number
  /** The price of a refused call; 0 after a payment. */
  refused: number
}

interface Limit {
  spendId: string
  period: string
  limit: number
  ofKey: string | null
}

/**
 * Adds events for spending that is near or at a limit. Only captured credits count: holds come and go and would repeat
 * the same alert. A limit that no payment hits exactly counts as reached with the first call that it refuses. Each
 * alert is sent once; the environment and the period record it.
 */
export function enterAlerts(draft: LedgerDraft, step: Step): void {
  const environment = environmentIn(draft, step.environmentId)
  const { id, balance, lowBelow, lowNotified, budget } = environment
  if (!lowNotified && (balance < lowBelow || balance < step.refused)) {
    draft.environments.set(id, { ...environment, lowNotified: true })
    draft.events.push({ type: 'credits.low', at: step.at, environmentId: id, data: { balance, threshold: lowBelow } })
  }
  const { key, date } = step
  const ofKey = { spendId: key.spendId, ofKey: key.id }
  if (key.ceiling !== null) enterLimit(draft, step, { ...ofKey, period: date.month, limit: key.ceiling })
  if (key.dailyCeiling !== null && countsDay(key, date))
    enterLimit(draft, step, { ...ofKey, period: date.day, limit: key.dailyCeiling })
  if (budget !== null)
    enterLimit(draft, step, { spendId: environmentSpendId(id), ofKey: null, period: date.month, limit: budget })
}

function enterLimit(draft: LedgerDraft, { environmentId, at, refused }: Step, of: Limit): void {
  const { spendId, period, limit } = of
  const name = periodKey(spendId, period)
  const row = draft.periods.get(name) ?? noSpending(spendId, period)
  const spent = row.captured
  const percent = environmentIn(draft, environmentId).nearPercent
  const isNear = of.ofKey !== null && spent > 0 && spent * 100 >= limit * percent && isNew(row.nearNotified, limit)
  const isReached = (spent >= limit || spent + refused > limit) && isNew(row.reachedNotified, limit)
  if (!isNear && !isReached) return
  const nearNotified = isNear ? limit : row.nearNotified
  draft.periods.set(name, { ...row, nearNotified, reachedNotified: isReached ? limit : row.reachedNotified })
  if (isNear) draft.events.push(limitEvent('ceiling.near', { environmentId, at, spent }, of))
  if (isReached) draft.events.push(limitEvent('ceiling.reached', { environmentId, at, spent }, of))
}

/** A limit that was raised since then triggers its alert again. */
function isNew(notified: number | null, limit: number): boolean {
  return notified === null || notified < limit
}

function limitEvent(
  type: 'ceiling.near' | 'ceiling.reached',
  { environmentId, at, spent }: { environmentId: number; at: number; spent: number },
  { ofKey, period, limit }: Limit,
): NewEvent {
  if (ofKey === null)
    return { type: 'budget.reached', at, environmentId, data: { month: period, spent, budget: limit } }
  const percent = limit === 0 ? 100 : Math.floor((spent * 100) / limit)
  return { type, at, environmentId, data: { key: ofKey, period, spent, ceiling: limit, percent } }
}
