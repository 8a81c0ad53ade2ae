import type { NewEvent } from '../../events/event.ts'
import { accountIn, type LedgerDraft } from './ledger-draft.ts'
import { accountSpendId, countsDay, noSpending, periodKey, type PayingKey, type SpendDate } from './ledger-snapshot.ts'

/** A step of the ledger after which something may have to be notified. */
interface Step {
  accountId: number
  key: PayingKey
  date: SpendDate
  at: number
  /** What a refused call would have cost; 0 after a payment. */
  refused: number
}

interface Limit {
  spendId: string
  period: string
  limit: number
  ofKey: string | null
}

/**
 * Enters the events of spending that has come near a limit, or to it. Only what is captured counts: holds come and go,
 * and would notify of the same crossing again and again. A limit that no payment meets exactly is reached with the first
 * call that it refuses. Each is notified once: what was notified is kept with the account and with the period.
 */
export function enterAlerts(draft: LedgerDraft, step: Step): void {
  const account = accountIn(draft, step.accountId)
  const { id, balance, lowBelow, lowNotified, budget } = account
  if (!lowNotified && (balance < lowBelow || balance < step.refused)) {
    draft.accounts.set(id, { ...account, lowNotified: true })
    draft.events.push({ type: 'credits.low', at: step.at, accountId: id, data: { balance, threshold: lowBelow } })
  }
  const { key, date } = step
  const ofKey = { spendId: key.spendId, ofKey: key.id }
  if (key.ceiling !== null) enterLimit(draft, step, { ...ofKey, period: date.month, limit: key.ceiling })
  if (key.dailyCeiling !== null && countsDay(key, date))
    enterLimit(draft, step, { ...ofKey, period: date.day, limit: key.dailyCeiling })
  if (budget !== null)
    enterLimit(draft, step, { spendId: accountSpendId(id), ofKey: null, period: date.month, limit: budget })
}

function enterLimit(draft: LedgerDraft, { accountId, at, refused }: Step, of: Limit): void {
  const { spendId, period, limit } = of
  const name = periodKey(spendId, period)
  const row = draft.periods.get(name) ?? noSpending(spendId, period)
  const spent = row.captured
  const percent = accountIn(draft, accountId).nearPercent
  const isNear = of.ofKey !== null && spent > 0 && spent * 100 >= limit * percent && isNew(row.nearNotified, limit)
  const isReached = (spent >= limit || spent + refused > limit) && isNew(row.reachedNotified, limit)
  if (!isNear && !isReached) return
  const nearNotified = isNear ? limit : row.nearNotified
  draft.periods.set(name, { ...row, nearNotified, reachedNotified: isReached ? limit : row.reachedNotified })
  if (isNear) draft.events.push(limitEvent('ceiling.near', { accountId, at, spent }, of))
  if (isReached) draft.events.push(limitEvent('ceiling.reached', { accountId, at, spent }, of))
}

/** A limit that was raised since is notified again. */
function isNew(notified: number | null, limit: number): boolean {
  return notified === null || notified < limit
}

function limitEvent(
  type: 'ceiling.near' | 'ceiling.reached',
  { accountId, at, spent }: { accountId: number; at: number; spent: number },
  { ofKey, period, limit }: Limit,
): NewEvent {
  if (ofKey === null) return { type: 'budget.reached', at, accountId, data: { month: period, spent, budget: limit } }
  const percent = limit === 0 ? 100 : Math.floor((spent * 100) / limit)
  return { type, at, accountId, data: { key: ofKey, period, spent, ceiling: limit, percent } }
}
