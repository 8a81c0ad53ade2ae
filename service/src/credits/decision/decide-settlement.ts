import {
  paidKey,
  spendDate,
  type PayingEnvironment,
  type LedgerSnapshot,
  type PayingKey,
  type SpendDate,
} from './ledger-snapshot.ts'
import { fundsRefusal, keyRefusal, idempotencyVerdict, remainingCreditsOf, enterAlerts } from './spending-rules.ts'
import {
  environmentIn,
  enterRelease,
  liftHold,
  move,
  setIdempotency,
  draftFrom,
  type BilledCall,
  type Entry,
  type LedgerDraft,
} from './ledger-draft.ts'
import { isAhead } from '../../foundation/clock.ts'
import type { NewEvent } from '../../events/outbox/event.ts'
import type {
  CheckRequest,
  Decision,
  HoldRequest,
  PaymentRequest,
  ReleaseRequest,
  SettleRequest,
  Verdict,
} from './settlement-requests.ts'

export interface Settlement {
  /** One for each request, in their order. */
  decisions: Decision[]
  snapshot: LedgerSnapshot
  entries: Entry[]
  calls: BilledCall[]
  /** Alerts about spending. */
  events: NewEvent[]
}

type Outcome<Name extends Verdict['outcome']> = Extract<Verdict, { outcome: Name }>

interface Payer {
  environment: PayingEnvironment
  key: PayingKey
}

/**
 * The whole arithmetic of credits: turns a ledger snapshot and requests into decisions and a new snapshot. A batch has
 * the same effect as its requests one after another. Pure: it does not change the snapshot passed in.
 */
export function decideSettlement(snapshot: LedgerSnapshot, requests: readonly SettleRequest[]): Settlement {
  const draft = draftFrom(snapshot)
  const decisions = requests.map((request) => {
    const verdict = decideOne(draft, request)
    return { ...verdict, ...remainingCreditsOf(draft, request) }
  })
  const { entries, calls, events, ...after } = draft
  return { decisions, snapshot: after, entries, calls, events }
}

function decideOne(draft: LedgerDraft, request: SettleRequest): Verdict {
  if (request.type === 'release') return release(draft, request)
  const environment = draft.environments.get(request.environmentId)
  const key = draft.keys.get(request.keyId)
  // A missing key cannot be distinguished from a revoked one, and must never pay.
  if (!environment || !key || key.environmentId !== environment.id)
    return { outcome: 'refused', code: 'revoked_api_key' }
  if (request.type === 'check') return mayHold(draft, { environment, key }, request)
  if (request.type === 'hold') return placeHold(draft, { environment, key }, request)
  return pay(draft, key, request)
}

/** The order of checks decides which problem a caller sees first: key state, then idempotency, then credits. */
function mayHold(draft: LedgerDraft, { environment, key }: Payer, request: HoldRequest | CheckRequest): Verdict {
  return (
    refused(keyRefusal(environment, key, request.at)) ??
    idempotencyVerdict(draft, request) ??
    unpaid(fundsRefusal(draft, environment, key, spendDate(request.at), request.amount)) ?? {
      outcome: 'settled',
      charged: 0,
    }
  )
}

function placeHold(draft: LedgerDraft, payer: Payer, request: HoldRequest): Verdict {
  // Repeating a hold is a retry whose first answer was lost.
  if (draft.holds.has(request.requestId)) return { outcome: 'settled', charged: 0 }
  const verdict = mayHold(draft, payer, request)
  const { requestId, keyId, environmentId, amount, at, expiresAt, idempotency } = request
  if (isUnpaid(verdict)) enterAlerts(draft, { ...payer, environmentId, date: spendDate(at), at, refused: amount })
  if (verdict.outcome !== 'settled') return verdict

  const { spendId } = payer.key
  const date = spendDate(at)
  const { month } = date
  const idempotencyHash = idempotency?.hash ?? null
  move(draft, { environmentId, keyId, spendId }, date, { captured: 0, held: amount })
  draft.holds.set(requestId, {
    id: requestId,
    environmentId,
    keyId,
    spendId,
    month,
    amount,
    placedAt: at,
    expiresAt,
    idempotencyHash,
  })
  const holdId = requestId
  draft.entries.push({
    environmentId,
    kind: 'hold',
    amount,
    heldAmount: null,
    keyId,
    spendId,
    month,
    requestId,
    holdId,
    at,
  })
  if (idempotency) {
    const { hash, fingerprint } = idempotency
    const running = { state: 'running', versionId: null, source: null } as const
    setIdempotency(draft, { environmentId, hash, fingerprint, ...running, requestId, createdAt: at, expiresAt })
  }
  return verdict
}

/**
 * Settles a charge or a capture. A capture lifts its hold and checks the price again in the hold's month and day, in
 * one step. So a price within the hold always fits, a higher price needs the difference, and a ceiling lowered
 * meanwhile is respected. A capture that does not settle releases its hold.
 */
function pay(draft: LedgerDraft, key: PayingKey, request: PaymentRequest): Verdict {
  const { requestId, keyId, environmentId, at } = request
  const { spendId } = key
  const hold = request.type === 'capture' ? liftHold(draft, requestId) : undefined
  const date = spendDate(hold?.placedAt ?? at)
  const verdict = mayPay(draft, key, request, date)
  if (verdict.outcome !== 'settled') {
    if (hold) enterRelease(draft, hold, at)
    if (isUnpaid(verdict)) enterAlerts(draft, { environmentId, key, date, at, refused: request.price })
    // Without a version there is nothing to replay, and the call ends with 404.
    if (verdict.outcome === 'replay' && verdict.versionId !== null) draft.calls.push(billedCall(request, verdict))
    return verdict
  }

  const amount = verdict.charged
  const { month } = date
  move(draft, { environmentId, keyId, spendId }, date, { captured: amount, held: 0 })
  const kind = hold ? 'capture' : 'charge'
  const [heldAmount, holdId] = hold ? [hold.amount, hold.id] : [null, null]
  draft.entries.push({ environmentId, kind, amount, heldAmount, keyId, spendId, month, requestId, holdId, at })
  draft.calls.push(billedCall(request, verdict))
  remember(draft, request)
  if (amount > 0) enterAlerts(draft, { environmentId, key, date, at, refused: 0 })
  return verdict
}

/** Whether a call was refused for lack of credits. */
function isUnpaid(verdict: Verdict): boolean {
  return (
    verdict.outcome === 'refused' && (verdict.code === 'out_of_credits' || verdict.code === 'credit_ceiling_reached')
  )
}

function mayPay(draft: LedgerDraft, key: PayingKey, request: PaymentRequest, date: SpendDate): Verdict {
  const environment = environmentIn(draft, request.environmentId)
  const stopped = refused(keyRefusal(environment, key, request.at)) ?? idempotencyVerdict(draft, request)
  if (stopped) return stopped
  const charged = isFreeRepeat(draft, request) ? request.extras : request.price
  return unpaid(fundsRefusal(draft, environment, key, date, charged)) ?? { outcome: 'settled', charged }
}

function isFreeRepeat(draft: LedgerDraft, { environmentId, repeatFreeSince, call, at }: PaymentRequest): boolean {
  if (repeatFreeSince === null || call.entityId === null) return false
  const paid = draft.paid.get(paidKey(environmentId, call.entityId))
  // A payment dated by a clock that was ahead would stay free for longer than the window.
  return paid !== undefined && paid.paidAt >= repeatFreeSince && !isAhead(paid.paidAt, at)
}

/** Records the answer for the idempotency value, and that the record was paid for. */
function remember(draft: LedgerDraft, request: PaymentRequest): void {
  const { environmentId, requestId, at, idempotency, repeatFreeSince, call, price, extras } = request
  if (idempotency) {
    const { versionId, foldId = null, source } = call
    const answer = { requestId, versionId, foldId, source }
    setIdempotency(draft, { environmentId, ...idempotency, state: 'done', ...answer, createdAt: at })
  }
  // Charges for optional parts alone do not pay for the record, so they do not restart its free window.
  if (repeatFreeSince !== null && call.entityId !== null && price > extras && !isFreeRepeat(draft, request)) {
    draft.paid.set(paidKey(environmentId, call.entityId), { environmentId, entityId: call.entityId, paidAt: at })
  }
}

/** A release is never refused, even with a revoked key: a failed call must give back its hold. */
function release(draft: LedgerDraft, { requestId, at }: ReleaseRequest): Verdict {
  const hold = liftHold(draft, requestId)
  if (hold) enterRelease(draft, hold, at)
  return { outcome: 'settled', charged: 0 }
}

function billedCall(request: PaymentRequest, verdict: Outcome<'settled' | 'replay'>): BilledCall {
  const { requestId, at, keyId, environmentId, call } = request
  const known = { ...call, requestId, at, keyId, environmentId }
  if (verdict.outcome === 'settled') return { ...known, credits: verdict.charged, replayOf: null }
  const { versionId, foldId = null, source } = verdict
  return { ...known, versionId, foldId, source, credits: 0, replayOf: verdict.requestId }
}

function refused(code: Outcome<'refused'>['code'] | null): Verdict | null {
  return code ? { outcome: 'refused', code } : null
}

function unpaid(refusal: ReturnType<typeof fundsRefusal>): Verdict | null {
  return refusal && { outcome: 'refused', ...refusal }
}
