import type { DataSource, Kind } from '@vitae/contract'
import { fingerprint, idempotencyHash } from '../credits/idempotency-key.ts'
import { usualAsk, type CompiledBook } from '../credits/prices/compiled-book.ts'
import type { PriceAsk, PriceEnd } from '../credits/prices/price-book.ts'
import type { CallFacts, Decision, Idempotency, SettleRequest } from '../credits/settlement-requests.ts'
import { Failure } from '../foundation/failure.ts'
import { inSpan } from '../foundation/tracing.ts'
import { hasPart } from '../records/body/record-bytes.ts'
import { effectiveMaxAgeMs } from './freshness.ts'
import type { Lookup } from './lookup.ts'
import type { LookupDeps, Payer } from './deps.ts'
import type { ReadyRecord } from './record-cache.ts'
import { dayMs } from '../foundation/clock.ts'

export type Settled = Extract<Decision, { outcome: 'settled' }>
export type Replay = Extract<Decision, { outcome: 'replay' }>
export type Running = Extract<Decision, { outcome: 'running' }>

/** One call with a live key, once everything about the request itself is known to be right. */
export interface Call {
  payer: Payer
  lookup: Lookup
  idempotency: Idempotency | null
  /** What it is priced by from its beginning to its end: a hold and its capture never meet two books. */
  book: CompiledBook
  priced: PriceAsk
  /** The identifier leads to someone who is kept out. */
  suppressed?: true
}

const clockOff = new Failure('overloaded', {
  detail: "This node takes no paid calls until its clock agrees with the database's. Other nodes answer.",
  retryAfterSeconds: 5,
})

/** A call that begins now, with the book that it is priced by. */
export function callOf(deps: LookupDeps, payer: Payer, lookup: Lookup): Call {
  if (deps.isClockOff()) throw clockOff
  lookup.since ??= deps.fetchOutcomes.mark
  const book = lookup.pricedAs?.book ?? deps.prices.at(deps.clock.now())
  return { payer, lookup, idempotency: idempotencyOf(deps, payer, lookup), book, priced: priceAsk(payer, lookup) }
}

/** What a price depends on before the answer is known. Without a payer it is that of an environment that no line names. */
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

/** The most that a plain lookup of a kind can cost an environment now. */
export function mostFor(
  { prices, clock }: Pick<LookupDeps, 'prices' | 'clock'>,
  { project, environment }: Pick<Payer, 'project' | 'environment'>,
  kind: Kind,
): number {
  return prices.at(clock.now()).highest({ ...usualAsk, kind, project, environment })
}

/** How a call was answered. Changed: a provider said something else than the store had, or the store had nothing. */
export function priceEnd(record: ReadyRecord, source: DataSource, known: ReadyRecord | null): PriceEnd {
  const changed = source === 'live' && !(known && record.body.equals(known.body))
  return { source, thin: record.thin, changed, has: (part) => hasPart(record, part) }
}

/** What the ledger is told about an answer, whether it is charged at once or captured from a hold. */
export function payment(
  type: 'charge' | 'capture',
  deps: LookupDeps,
  { payer, lookup, idempotency, book, priced }: Call,
  record: ReadyRecord,
  { source, pricedAs = source }: { source: DataSource; pricedAs?: DataSource | undefined },
  known: ReadyRecord | null,
): SettleRequest {
  const { repeatFreeDays } = deps.rules
  const price = book.priceOf(priced, priceEnd(record, pricedAs, known))
  const at = deps.clock.now()
  const facts: CallFacts = {
    kind: lookup.identifier.kind,
    source,
    identifier: null,
    entityId: record.entityId,
    versionId: record.versionId,
    foldId: record.fold?.id ?? null,
    fetchId: record.fetchId,
    durationMs: at - lookup.startedAt,
    tag: lookup.spendTag ?? null,
    price: price.note,
  }
  return {
    type,
    keyId: payer.keyId,
    environmentId: payer.environmentId,
    requestId: lookup.requestId,
    at,
    // Remembered from the answer on, however long the call took.
    idempotency: idempotency && { ...idempotency, expiresAt: at + deps.rules.idempotencyMs },
    price: price.credits,
    extras: price.extras,
    repeatFreeSince: repeatFreeDays > 0 ? at - repeatFreeDays * dayMs : null,
    call: facts,
  }
}

/** What every step of a call has in common. */
export function stepOf({ payer: { keyId, environmentId }, lookup: { requestId }, idempotency }: Call) {
  return { keyId, environmentId, requestId, idempotency }
}

/** Has the ledger decide on one step of a call. */
export function askLedger(deps: Pick<LookupDeps, 'settle'>, request: SettleRequest): Promise<Decision> {
  return inSpan('vitae.settle', { step: request.type }, () => deps.settle(request))
}

function refusalOf({ code, limit }: Extract<Decision, { outcome: 'refused' }>): Failure {
  return new Failure(code, limit ? { limit } : {})
}

/** Whatever the ledger refuses becomes the failure that the caller gets. */
export function accepted(decision: Decision): Settled | Replay | Running {
  if (decision.outcome === 'refused') throw refusalOf(decision)
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
  { requestId, environmentId, idempotency }: Pick<SettleRequest, 'requestId' | 'environmentId' | 'idempotency'>,
): () => void {
  const { holdMs } = deps.rules
  const running = idempotency && { environmentId, hash: idempotency.hash }
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
    hash: idempotencyHash(deps.secret, payer.environmentId, lookup.idempotencyKey),
    // The rows of a batch have all else in common.
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
