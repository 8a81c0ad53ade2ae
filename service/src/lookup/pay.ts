import type { DataSource } from '@vitae/contract'
import { fingerprint, idempotencyHash } from '../credits/idempotency-key.ts'
import { priceOf } from '../credits/prices.ts'
import type { CallFacts, Decision, Idempotency, SettleRequest } from '../credits/settlement-requests.ts'
import { Failure } from '../foundation/failure.ts'
import { inSpan } from '../foundation/tracing.ts'
import { effectiveMaxAgeMs } from './freshness.ts'
import type { Lookup } from './lookup.ts'
import type { LookupDeps, Payer } from './deps.ts'
import type { ReadyRecord } from './record-cache.ts'

export type Settled = Extract<Decision, { outcome: 'settled' }>
export type Replay = Extract<Decision, { outcome: 'replay' }>
export type Running = Extract<Decision, { outcome: 'running' }>

/** One call with a live key, once everything about the request itself is known to be right. */
export interface Call {
  payer: Payer
  lookup: Lookup
  idempotency: Idempotency | null
  /** The identifier leads to someone who is kept out. */
  suppressed?: true
}

const dayMs = 86_400_000

/** What the ledger is told about an answer, whether it is charged at once or captured from a hold. */
export function payment(
  type: 'charge' | 'capture',
  deps: LookupDeps,
  { payer, lookup, idempotency }: Call,
  record: ReadyRecord,
  source: DataSource,
): SettleRequest {
  const { prices } = deps.rules
  const at = deps.clock.now()
  const facts: CallFacts = {
    kind: lookup.identifier.kind,
    source,
    identifier: null,
    entityId: record.entityId,
    versionId: record.versionId,
    fetchId: record.fetchId,
    durationMs: at - lookup.startedAt,
    tag: lookup.spendTag ?? null,
  }
  return {
    type,
    keyId: payer.keyId,
    accountId: payer.accountId,
    requestId: lookup.requestId,
    at,
    // Remembered from the answer on, however long the call took.
    idempotency: idempotency && { ...idempotency, expiresAt: at + deps.rules.idempotencyMs },
    price: priceOf(prices, { ...pricedAsk(lookup), source, thin: record.thin }),
    repeatFreeSince: prices.repeatFreeDays > 0 ? at - prices.repeatFreeDays * dayMs : null,
    call: facts,
  }
}

/** What every step of a call has in common. */
export function stepOf({ payer: { keyId, accountId }, lookup: { requestId }, idempotency }: Call) {
  return { keyId, accountId, requestId, idempotency }
}

/** What a price depends on before the answer is known. */
export function pricedAsk({ identifier, freshness }: Lookup) {
  return { kind: identifier.kind, bypass: freshness.bypassCache }
}

/** Has the ledger decide on one step of a call. */
export function askLedger(deps: Pick<LookupDeps, 'settle'>, request: SettleRequest): Promise<Decision> {
  return inSpan('vitae.settle', { step: request.type }, () => deps.settle(request))
}

/** Whatever the ledger refuses becomes the failure that the caller gets. */
export function accepted(decision: Decision): Settled | Replay | Running {
  if (decision.outcome === 'refused') throw new Failure(decision.code)
  // Another node does this work now, so this one has nothing to answer and nobody to answer to.
  if (decision.outcome === 'superseded') throw new Failure('request_in_progress')
  if (decision.outcome === 'mismatch') {
    throw new Failure('idempotency_key_reused', {
      detail:
        'This Idempotency-Key was used for another lookup. Use a new value for each lookup, and the same one only for its retries.',
    })
  }
  return decision
}

/**
 * Keeps a hold alive while its call runs, however slow the provider is; the returned function ends that. Most calls are
 * over before the first renewal.
 */
export function keepHold(
  deps: Pick<LookupDeps, 'extendHold' | 'rules' | 'clock' | 'log'>,
  { requestId, accountId, idempotency }: Pick<SettleRequest, 'requestId' | 'accountId' | 'idempotency'>,
): () => void {
  const { holdMs } = deps.rules
  const running = idempotency && { accountId, hash: idempotency.hash }
  const extend = async () => {
    try {
      await deps.extendHold({ id: requestId, expiresAt: deps.clock.now() + holdMs, idempotency: running })
    } catch (error) {
      deps.log.warn({ err: error, requestId }, 'the hold of a running call could not be extended')
    }
  }
  const timer = setInterval(() => void extend(), holdMs / 4)
  return () => clearInterval(timer)
}

/** Under what a keyed call is remembered; null without an Idempotency-Key. */
export function idempotencyOf(
  deps: Pick<LookupDeps, 'secret' | 'rules' | 'clock'>,
  payer: Payer,
  lookup: Lookup,
): Idempotency | null {
  if (lookup.idempotencyKey === null) return null
  return {
    hash: idempotencyHash(deps.secret, payer.accountId, lookup.idempotencyKey),
    fingerprint: fingerprint({
      kind: lookup.identifier.kind,
      identifier: lookup.matched ?? lookup.identifier,
      includeContactInfo: lookup.include.contact,
      includeNetworkInfo: lookup.include.network,
      includeVerifications: lookup.include.verifications,
      maxAgeDays: effectiveMaxAgeMs(lookup.freshness.maxAgeDays, deps.rules.freshness) / 86_400_000,
      bypassCache: lookup.freshness.bypassCache,
      require: lookup.require ?? null,
      expect: lookup.expect ?? null,
    }),
    expiresAt: deps.clock.now() + deps.rules.idempotencyMs,
  }
}
