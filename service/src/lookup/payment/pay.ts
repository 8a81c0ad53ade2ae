import type { DataSource, Kind } from '@vitae/contract'
import { fingerprint, idempotencyHash } from '../../credits/idempotency-key.ts'
import { usualAsk, type CompiledBook } from '../../credits/prices/compiled-book.ts'
import type { PriceAsk, PriceEnd } from '../../credits/prices/price-book.ts'
import type {
  CallFacts,
  Decision,
  Idempotency,
  PaymentRequest,
  SettleRequest,
} from '../../credits/decision/settlement-requests.ts'
import { Failure } from '../../foundation/failure.ts'
import { inSpan } from '../../foundation/tracing.ts'
import { hasPart } from '../../records/body/record-bytes.ts'
import { effectiveMaxAgeMs } from '../asked/freshness.ts'
import type { Lookup } from '../asked/lookup.ts'
import type { LookupDeps, Payer } from './deps.ts'
import type { ReadyRecord } from '../recall/record-cache.ts'
import { dayMs } from '../../foundation/clock.ts'

export type Settled = Extract<Decision, { outcome: 'settled' }>
export type Replay = Extract<Decision, { outcome: 'replay' }>
export type Running = Extract<Decision, { outcome: 'running' }>

/** One call with a live key, after its request was validated. */
export interface Call {
  payer: Payer
  lookup: Lookup
  idempotency: Idempotency | null
  /** The price book for the whole call, so that a hold and its capture never use different books. */
  book: CompiledBook
  priced: PriceAsk
  /** The identifier belongs to a suppressed subject. */
  suppressed?: true
}

const clockOff = new Failure('overloaded', {
  detail: "This node accepts no paid calls until its clock agrees with the database's. Retry: other nodes can answer.",
  retryAfterSeconds: 5,
})

/** Starts a call and fixes its price book. */
export function callOf(deps: LookupDeps, payer: Payer, lookup: Lookup): Call {
  if (deps.isClockOff()) throw clockOff
  lookup.since ??= deps.fetchOutcomes.mark
  const book = lookup.pricedAs?.book ?? deps.prices.at(deps.clock.now())
  return { payer, lookup, idempotency: idempotencyOf(deps, payer, lookup), book, priced: priceAsk(payer, lookup) }
}

/** The facts that determine a price before the answer is known. Without a payer, the default prices apply. */
export function priceAsk(
  payer: Pick<Payer, 'project' | 'environment'> | null,
  {
    identifier,
    freshness,
    include,
    pricedAs,
  }: Pick<Lookup, 'include' | 'pricedAs'> & { identifier: { kind: Kind }; freshness: { bypassCache: boolean } },
): PriceAsk {
  return {
    kind: pricedAs?.kind ?? identifier.kind,
    by: pricedAs?.by ?? 'lookup',
    bypass: freshness.bypassCache,
    project: payer?.project ?? '',
    environment: payer?.environment ?? '',
    include,
  }
}

/** The highest price of a plain lookup of this kind for an environment now. */
export function mostFor(
  { prices, clock }: Pick<LookupDeps, 'prices' | 'clock'>,
  { project, environment }: Pick<Payer, 'project' | 'environment'>,
  kind: Kind,
): number {
  return prices.at(clock.now()).highest({ ...usualAsk, kind, project, environment })
}

/**
 * How a call was answered. `changed` means that a provider returned other data than the store had, or that the store
 * had none.
 */
export function priceEnd(record: ReadyRecord, source: DataSource, known: ReadyRecord | null): PriceEnd {
  const changed = source === 'live' && !(known && record.body.equals(known.body))
  return { source, thin: record.thin, changed, has: (part) => hasPart(record, part) }
}

/** The ledger request for an answer, charged at once or captured from a hold. */
export function payment(
  type: 'charge' | 'capture',
  deps: Pick<LookupDeps, 'rules' | 'clock'>,
  { payer, lookup, idempotency, book, priced }: Call,
  record: ReadyRecord,
  { source, pricedAs = source }: { source: DataSource; pricedAs?: DataSource | undefined },
  known: ReadyRecord | null,
): PaymentRequest {
  const { repeatFreeDays } = deps.rules
  const price = book.priceOf(priced, priceEnd(record, pricedAs, known))
  const at = deps.clock.now()
  const facts: CallFacts = {
    kind: lookup.identifier.kind,
    source,
    identifier: null,
    entityId: record.entityId,
    key: record.key,
    versionId: record.versionId,
    foldId: record.fold?.id ?? null,
    fetchId: record.fetchId,
    durationMs: at - lookup.startedAt,
    tag: lookup.spendTag ?? null,
    price: price.note,
  }
  return {
    ...stepOf({ payer, lookup, idempotency }),
    type,
    at,
    // The idempotency record expires a fixed time after the answer, however long the call took.
    idempotency: idempotency && { ...idempotency, expiresAt: at + deps.rules.idempotencyMs },
    price: price.credits,
    extras: price.extras,
    repeatFreeSince: repeatFreeDays > 0 ? at - repeatFreeDays * dayMs : null,
    call: facts,
  }
}

/** The facts that every ledger step of a call shares. */
export function stepOf({ payer, lookup, idempotency }: Pick<Call, 'payer' | 'lookup' | 'idempotency'>) {
  const { keyId, environmentId } = payer
  const { requestId, lease } = lookup
  const step = { keyId, environmentId, requestId, idempotency }
  return lease ? { ...step, lease } : step
}

/** Asks the ledger to decide on one step of a call. */
export function askLedger(deps: Pick<LookupDeps, 'settle'>, request: SettleRequest): Promise<Decision> {
  return inSpan('vitae.settle', { step: request.type }, () => deps.settle(request))
}

function refusalOf({ code, limit }: Extract<Decision, { outcome: 'refused' }>): Failure {
  return new Failure(code, limit ? { limit } : {})
}

/** Returns an accepted decision; throws the failure of a refused one. */
export function accepted(decision: Decision): Settled | Replay | Running {
  if (decision.outcome === 'refused') throw refusalOf(decision)
  // Another node has taken over this work, so there is no answer to give here.
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
 * Renews a hold while its call runs, however slow the provider is. The returned function stops the renewal. Most calls
 * end before the first renewal.
 */
export function keepHold(
  deps: Pick<LookupDeps, 'extendHold' | 'rules' | 'clock' | 'log'>,
  { requestId, environmentId, idempotency }: Pick<SettleRequest, 'requestId' | 'environmentId' | 'idempotency'>,
): () => void {
  const { holdMs } = deps.rules
  const running = idempotency && { environmentId, hash: idempotency.hash }
  const extend = async () => {
    try {
      await deps.extendHold({ id: requestId, expiresAt: deps.clock.now() + holdMs, idempotency: running })
    } catch (error) {
      deps.log.warn({ err: error, requestId }, 'could not extend the hold of a call in progress')
    }
  }
  const timer = setInterval(() => void extend(), holdMs / 4)
  return () => clearInterval(timer)
}

/** The idempotency record of a call; null without an Idempotency-Key. */
export function idempotencyOf(
  deps: Pick<LookupDeps, 'secret' | 'rules' | 'clock'>,
  payer: Payer,
  lookup: Lookup,
): Idempotency | null {
  if (lookup.idempotencyKey === null) return null
  return {
    hash: idempotencyHash(deps.secret, payer.environmentId, lookup.idempotencyKey),
    // The rows of a batch have everything else in common.
    fingerprint: lookup.sharedAs ?? fingerprintOf(deps, lookup),
    expiresAt: deps.clock.now() + deps.rules.idempotencyMs,
  }
}

function fingerprintOf({ rules }: Pick<LookupDeps, 'rules'>, lookup: Lookup): string {
  return fingerprint({
    kind: lookup.identifier.kind,
    identifier: lookup.matched ?? lookup.identifier,
    includeContactInfo: lookup.include.contact,
    includeNetworkInfo: lookup.include.network,
    includeVerifications: lookup.include.verifications,
    maxAgeDays: effectiveMaxAgeMs(lookup.freshness.maxAgeDays, rules.freshness) / dayMs,
    bypassCache: lookup.freshness.bypassCache,
    require: lookup.require ?? null,
    expect: lookup.expect ?? null,
  })
}
