import {
  accountSpendId,
  countsDay,
  idempotencyRecordKey,
  periodKey,
  spendDate,
  type Account,
  type LedgerSnapshot,
  type PayingKey,
  type SpendDate,
} from './ledger-snapshot.ts'
import type { LimitMet, outOfMoney } from '../../foundation/failure.ts'
import type { RefusalCode, SettleRequest, RemainingCredits, Verdict } from '../settlement-requests.ts'

/** Whether the key may still pay at this moment. */
export function keyRefusal(account: Account, key: PayingKey, at: number): RefusalCode | null {
  if (key.revokedAt !== null && key.revokedAt <= at) return 'revoked_api_key'
  if (key.expiresAt !== null && key.expiresAt <= at) return 'expired_api_key'
  if (account.suspended) return 'project_suspended'
  if (account.billingBlocked) return 'billing_blocked'
  return null
}

/** What the idempotency record of the request says; null = go on. */
export function idempotencyVerdict(snapshot: LedgerSnapshot, request: SettleRequest): Verdict | null {
  if (!request.idempotency) return null
  const known = snapshot.idempotencyRecords.get(idempotencyRecordKey(request.accountId, request.idempotency.hash))
  if (!known || known.expiresAt <= request.at) return null
  if (known.state === 'running' && known.requestId === request.requestId) return null
  const isErased = known.fingerprint === ''
  if (!isErased && known.fingerprint !== request.idempotency.fingerprint) return { outcome: 'mismatch' }
  if (known.state === 'done') {
    const source = known.source === 'stale_fallback' ? 'stale_fallback' : 'store'
    return { outcome: 'replay', requestId: known.requestId, versionId: known.versionId, source }
  }
  // A capture meets another's running idempotency record only when its own was given up. The first to finish is the one that pays.
  if (request.type === 'capture') return null
  return { outcome: 'running', requestId: known.requestId, expiresAt: known.expiresAt }
}

interface FundsRefusal {
  code: (typeof outOfMoney)[number]
  limit: LimitMet
}

/** Whether an amount fits under the key's ceilings, into the account and into its budget. Nothing is refused for free. */
export function fundsRefusal(
  snapshot: LedgerSnapshot,
  account: Account,
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
  const credits = account.balance - account.held
  if (credits < amount) return met('out_of_credits', { limit: 'credits', of: null, left: credits, renewsAt: null })
  const ofBudget = leftOfBudget(snapshot, account, date)
  if (ofBudget < amount)
    return met('out_of_credits', { limit: 'budget', of: account.budget, left: ofBudget, renewsAt: monthEndsAt })
  return null
}

/** What is left to the caller now: of the account, and of the key's ceilings in the current day and month. */
export function remainingCreditsOf(
  snapshot: LedgerSnapshot,
  request: { accountId: number; keyId: string; at: number },
): RemainingCredits {
  const account = snapshot.accounts.get(request.accountId)
  const key = snapshot.keys.get(request.keyId)
  const available = account ? account.balance - account.held : 0
  if (!key) return { available, ...noCeiling }
  const today = spendDate(request.at)
  return { available, ...lowestCeiling(leftOfMonth(snapshot, key, today), leftOfDay(snapshot, key, today), request.at) }
}

const noCeiling = { ceilingRemaining: null, ceilingResetsAt: null }

/** The ceiling of which the least is left. Where as much is left of both, only the end of the month brings more. */
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

function leftOfBudget(snapshot: LedgerSnapshot, { id, budget }: Account, { month }: SpendDate): number {
  return budget === null ? Infinity : budget - spentIn(snapshot, accountSpendId(id), month)
}

function spentIn(snapshot: LedgerSnapshot, spendId: string, period: string): number {
  const spent = snapshot.periods.get(periodKey(spendId, period))
  return spent ? spent.captured + spent.held : 0
}
