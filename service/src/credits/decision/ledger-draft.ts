import type { EntryKind } from '../../database/tables.ts'
import { markKey, monthKey, type Books, type Hold, type Mark } from './ledger-snapshot.ts'
import type { CallFacts } from '../settlement-requests.ts'

export interface Entry {
  accountId: number
  kind: EntryKind
  amount: number
  /** For `capture`: the amount of the hold that ends with it. */
  heldAmount: number | null
  keyId: string
  spendId: string
  month: string
  requestId: string
  holdId: string | null
  at: number
}

/** A call to be kept with its receipt. */
export interface BilledCall extends CallFacts {
  requestId: string
  at: number
  keyId: string
  accountId: number
  credits: number
  replayOf: string | null
}

type Writable<M> = M extends ReadonlyMap<infer Key, infer Value> ? Map<Key, Value> : never

/** The books while a batch is being decided. The rows themselves are never changed, only replaced. */
export type Page = { [Name in keyof Books]: Writable<Books[Name]> } & { entries: Entry[]; calls: BilledCall[] }

/** A page that starts as a copy of the books. */
export function turnPage(books: Books): Page {
  return {
    keys: new Map(books.keys),
    accounts: new Map(books.accounts),
    months: new Map(books.months),
    holds: new Map(books.holds),
    marks: new Map(books.marks),
    paid: new Map(books.paid),
    entries: [],
    calls: [],
  }
}

/** Moves an account and a month together: what one gains the other gains. */
export function move(
  page: Page,
  where: { accountId: number; spendId: string; month: string },
  change: { captured: number; held: number },
): void {
  const account = page.accounts.get(where.accountId)
  if (!account) throw new Error(`account ${where.accountId} is not in the books`)
  const { captured, held } = change
  page.accounts.set(account.id, { ...account, balance: account.balance - captured, held: account.held + held })
  const name = monthKey(where.spendId, where.month)
  const month = page.months.get(name) ?? { spendId: where.spendId, month: where.month, captured: 0, held: 0 }
  page.months.set(name, { ...month, captured: month.captured + captured, held: month.held + held })
}

/** Takes a hold off the page, with its running mark; what becomes of it is for the caller to enter. */
export function liftHold(page: Page, id: string): Hold | undefined {
  const hold = page.holds.get(id)
  if (!hold) return undefined
  page.holds.delete(id)
  move(page, hold, { captured: 0, held: -hold.amount })
  if (hold.idempotencyHash !== null) dropRunningMark(page, hold.accountId, hold.idempotencyHash, id)
  return hold
}

/** Enters the end of a hold that was not captured. */
export function enterRelease(page: Page, hold: Hold, at: number): void {
  const { accountId, keyId, spendId, month, amount, id } = hold
  const entry: Entry = {
    accountId,
    kind: 'release',
    amount,
    heldAmount: null,
    keyId,
    spendId,
    month,
    requestId: id,
    holdId: id,
    at,
  }
  page.entries.push(entry)
}

/** Keeps a mark, in place of whatever stood there. */
export function setMark(page: Page, mark: Mark): void {
  page.marks.set(markKey(mark.accountId, mark.hash), mark)
}

/** Forgets a request's own running mark. Another request's, which took its place, is not ours to drop. */
function dropRunningMark(page: Page, accountId: number, hash: string, requestId: string): void {
  const name = markKey(accountId, hash)
  const mark = page.marks.get(name)
  if (mark?.state === 'running' && mark.requestId === requestId) page.marks.delete(name)
}
