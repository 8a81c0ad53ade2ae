import { markKey, monthOf, paidKey, type Account, type Books, type Mark, type PayingKey } from './ledger-snapshot.ts'
import { judgeFunds, judgeKey, judgeMark, standingOf } from './spending-rules.ts'
import {
  enterRelease,
  liftHold,
  move,
  setMark,
  turnPage,
  type BilledCall,
  type Entry,
  type Page,
} from './ledger-draft.ts'
import type {
  CheckRequest,
  Decision,
  HoldRequest,
  PaymentRequest,
  ReleaseRequest,
  SettleRequest,
  Verdict,
} from '../settlement-requests.ts'

export interface Settlement {
  /** One for each request, in their order. */
  decisions: Decision[]
  books: Books
  entries: Entry[]
  calls: BilledCall[]
}

interface Payer {
  account: Account
  key: PayingKey
}

/**
 * The whole arithmetic of credits: from the books and the requests to the decisions and the new books.
 * A batch means the same as its requests one after another. Pure: the books that are passed in are not changed.
 */
export function decide(books: Books, requests: readonly SettleRequest[]): Settlement {
  const page = turnPage(books)
  const decisions = requests.map((request) => {
    const verdict = judge(page, request)
    return { ...verdict, ...standingOf(page, request) }
  })
  const { entries, calls, ...after } = page
  return { decisions, books: after, entries, calls }
}

function judge(page: Page, request: SettleRequest): Verdict {
  if (request.type === 'release') return release(page, request)
  const account = page.accounts.get(request.accountId)
  const key = page.keys.get(request.keyId)
  // A key that is no longer there cannot be told from one that was revoked, and must never pay.
  if (!account || !key || key.accountId !== account.id) return { outcome: 'refused', code: 'revoked_api_key' }
  if (request.type === 'check') return judgeSpending(page, { account, key }, request)
  if (request.type === 'hold') return placeHold(page, { account, key }, request)
  return pay(page, key, request)
}

/** Key state, then idempotency, then money: the order in which a caller is told what is wrong. */
function judgeSpending(page: Page, { account, key }: Payer, request: HoldRequest | CheckRequest): Verdict {
  return (
    refused(judgeKey(account, key, request.at)) ??
    judgeMark(markOf(page, request), request) ??
    refused(judgeFunds(page, account, key, monthOf(request.at), request.amount)) ?? { outcome: 'settled', charged: 0 }
  )
}

function placeHold(page: Page, payer: Payer, request: HoldRequest): Verdict {
  // The same hold once more is a retry whose first answer was lost.
  if (page.holds.has(request.requestId)) return { outcome: 'settled', charged: 0 }
  const verdict = judgeSpending(page, payer, request)
  if (verdict.outcome !== 'settled') return verdict

  const { requestId, keyId, accountId, amount, at, expiresAt, idempotency } = request
  const { spendId } = payer.key
  const month = monthOf(at)
  const idempotencyHash = idempotency?.hash ?? null
  move(page, { accountId, spendId, month }, { captured: 0, held: amount })
  page.holds.set(requestId, {
    id: requestId,
    accountId,
    keyId,
    spendId,
    month,
    amount,
    placedAt: at,
    expiresAt,
    idempotencyHash,
  })
  const holdId = requestId
  page.entries.push({ accountId, kind: 'hold', amount, heldAmount: null, keyId, spendId, month, requestId, holdId, at })
  if (idempotency) {
    const { hash, fingerprint } = idempotency
    const running = { state: 'running', versionId: null, source: null } as const
    setMark(page, { accountId, hash, fingerprint, ...running, requestId, createdAt: at, expiresAt })
  }
  return verdict
}

/**
 * A charge, or a capture: the hold is lifted and the price judged anew in the hold's month, in one step. Hence a price
 * within the hold always fits, a higher one must find the difference, and a ceiling lowered meanwhile is not passed.
 * A capture that does not settle has released its hold.
 */
function pay(page: Page, key: PayingKey, request: PaymentRequest): Verdict {
  const { requestId, keyId, accountId, at } = request
  const { spendId } = key
  const hold = request.type === 'capture' ? liftHold(page, requestId) : undefined
  const month = hold?.month ?? monthOf(at)
  const verdict = judgePayment(page, key, request, month)
  if (verdict.outcome !== 'settled') {
    if (hold) enterRelease(page, hold, at)
    if (verdict.outcome === 'replay') page.calls.push(billedCall(request, verdict))
    return verdict
  }

  const amount = verdict.charged
  move(page, { accountId, spendId, month }, { captured: amount, held: 0 })
  const kind = hold ? 'capture' : 'charge'
  const [heldAmount, holdId] = hold ? [hold.amount, hold.id] : [null, null]
  page.entries.push({ accountId, kind, amount, heldAmount, keyId, spendId, month, requestId, holdId, at })
  page.calls.push(billedCall(request, verdict))
  remember(page, request, amount)
  return verdict
}

function judgePayment(page: Page, key: PayingKey, request: PaymentRequest, month: string): Verdict {
  const account = page.accounts.get(request.accountId)
  if (!account) throw new Error(`account ${request.accountId} is not in the books`)
  const stopped = refused(judgeKey(account, key, request.at)) ?? judgeMark(markOf(page, request), request)
  if (stopped) return stopped
  const charged = isFreeRepeat(page, request) ? 0 : request.price
  return refused(judgeFunds(page, account, key, month, charged)) ?? { outcome: 'settled', charged }
}

function isFreeRepeat(page: Page, { accountId, repeatFreeSince, call }: PaymentRequest): boolean {
  if (repeatFreeSince === null || call.entityId === null) return false
  const paid = page.paid.get(paidKey(accountId, call.entityId))
  return paid !== undefined && paid.paidAt >= repeatFreeSince
}

/** Keeps what later requests ask about: the answer of an idempotency value, and that the record was paid for. */
function remember(page: Page, request: PaymentRequest, charged: number): void {
  const { accountId, requestId, at, idempotency, repeatFreeSince, call } = request
  if (idempotency) {
    const { versionId, source } = call
    setMark(page, { accountId, ...idempotency, state: 'done', requestId, versionId, source, createdAt: at })
  }
  if (repeatFreeSince !== null && call.entityId !== null && charged > 0) {
    page.paid.set(paidKey(accountId, call.entityId), { accountId, entityId: call.entityId, paidAt: at })
  }
}

/** Never refused, whatever became of the key: a failed call must give back what it held. */
function release(page: Page, { requestId, at }: ReleaseRequest): Verdict {
  const hold = liftHold(page, requestId)
  if (hold) enterRelease(page, hold, at)
  return { outcome: 'settled', charged: 0 }
}

function billedCall(request: PaymentRequest, verdict: Verdict): BilledCall {
  const { requestId, at, keyId, accountId, call } = request
  const known = { ...call, requestId, at, keyId, accountId }
  if (verdict.outcome !== 'replay') {
    return { ...known, credits: verdict.outcome === 'settled' ? verdict.charged : 0, replayOf: null }
  }
  const { versionId, source } = verdict
  return { ...known, versionId, source, credits: 0, replayOf: verdict.requestId }
}

function markOf(page: Page, { accountId, idempotency }: SettleRequest): Mark | undefined {
  return idempotency ? page.marks.get(markKey(accountId, idempotency.hash)) : undefined
}

function refused(code: Extract<Verdict, { outcome: 'refused' }>['code'] | null): Verdict | null {
  return code ? { outcome: 'refused', code } : null
}
