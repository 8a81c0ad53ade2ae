import { identifierKey } from '../foundation/identifier.ts'
import type { DataSource } from '@vitae/contract'
import type { Caller } from '../accounts/caller.ts'
import { usualEnd } from '../credits/prices/compiled-book.ts'
import type { Decision } from '../credits/decision/settlement-requests.ts'
import { Failure, type AnyFailureCode } from '../foundation/failure.ts'
import { onRoute } from '../foundation/environments/route.ts'
import { asSeen, knownState } from './answer-lookup.ts'
import { answerSample } from './answer-sample.ts'
import type { LookupDeps, Payer } from './payment/deps.ts'
import { askableIdentifier } from './fetch/askable-identifier.ts'
import { planFreshness, wantsFresh, type FreshnessPlan } from './asked/freshness.ts'
import type { Lookup } from './asked/lookup.ts'
import { withSites, readyRecord, recallRecord, withDemands, type Known, notFound } from './recall/recall-record.ts'
import { demandsOf, lackFailure } from './recall/demands.ts'
import { idempotencyOf, priceAsk, priceEnd } from './payment/pay.ts'
import type { ReadyRecord } from './recall/record-cache.ts'
import { dayMs, isAhead } from '../foundation/clock.ts'
import { fetchOrFallBack, type Found } from './fetch/fetch-or-fall-back.ts'

/** The expected outcome of a lookup, determined without making it. */
export interface Preflight {
  /** Null if the lookup would return no record. */
  source: DataSource | null
  ageSeconds: number | null
  /** The expected charge. Parts without a value in the stored copy are expected to stay empty. */
  price: number
  /** The highest possible charge: the amount held before a fetch. */
  maxPrice: number
  /** The code of the expected failure. */
  refused: AnyFailureCode | null
  asksProvider: boolean
  /** The highest total cost of its providers for the operator; null if none has a price or none is asked. */
  providerCostAtMost?: number | null
}

const unknownEnd = { ...usualEnd, has: () => true }
const nobodyLacks = { providers: new Set<string>(), paths: [] }

/**
 * Predicts the outcome of a lookup with this key. It is free and asks no provider; for a test key it uses the samples.
 */
export function preflightFor(deps: LookupDeps, caller: Caller, lookup: Lookup): Promise<Preflight> {
  return caller.mode === 'test' ? preflightSample(deps, lookup) : preflight(deps, caller, lookup)
}

/**
 * Applies the rules of a real lookup without spending or fetching anything. Without a payer the ledger is not checked.
 */
export async function preflight(deps: LookupDeps, payer: Payer | null, lookup: Lookup): Promise<Preflight> {
  const route = payer?.route ?? null
  const recalled = await recallRecord(deps, lookup, route)
  const record = recalled.record && (await withSites(deps, route, lookup.expect, recalled.record))
  const known = { ...recalled, record }
  const usable = withDemands(lookup, asSeen(deps, lookup, known))
  // A mismatch that a pre-flight reveals uses the miss allowance, as it does in the call itself.
  if (payer && record && !usable.record && lookup.expect) await deps.missAllowance.count(payer.keyId)
  const plan = planFreshness(
    lookup.freshness,
    knownState(deps, onRoute(lookup.name, route), usable),
    deps.rules.freshness,
  )
  const expected = plan.action === 'fetch' ? await expectFetch(deps, payer, lookup, plan, usable) : plan
  const book = deps.prices.at(deps.clock.now())
  const priced = priceAsk(payer, lookup)
  const highest = book.highest(priced)
  if (expected.action === 'fail') {
    const decision = await ask(deps, payer, lookup, highest)
    return (await endedByLedger(deps, decision, lookup, known)) ?? refusal(expected.code)
  }
  const source: DataSource = expected.action === 'serve' ? expected.source : 'live'
  // A fetch is expected to return a record like the stored copy; without a copy, one with all parts.
  const end = known.record ? priceEnd(known.record, source, known.record) : unknownEnd
  const live = source === 'live' ? { changed: true } : {}
  const { credits, extras } = book.priceOf(priced, { ...end, source, ...live })
  const price = (await isFreeRepeat(deps, payer, known.record)) ? extras : credits
  // Before a fetch the highest possible price is held, because the result is not known yet.
  const maxPrice = plan.action === 'fetch' ? highest : price
  const decision = await ask(deps, payer, lookup, maxPrice)
  const ageSeconds = source === 'live' ? 0 : ageOf(deps, known.record)
  const ended = await endedByLedger(deps, decision, lookup, known)
  if (ended) return ended.refused === null ? ended : { ...ended, source, ageSeconds, price, maxPrice }
  const expectation = { source, ageSeconds, price, maxPrice }
  if (expected.action === 'refuse') return { ...expectation, refused: expected.code, asksProvider: false }
  const asksProvider = source === 'live'
  const costs = asksProvider && deps.chain.costAtMost(lookup.identifier, route, deps.rules.costAtMost)
  return { ...expectation, refused: null, asksProvider, providerCostAtMost: costs || null }
}

/** The expected outcome of a plan to fetch, as known before a provider is asked. */
type Expected = Exclude<FreshnessPlan, { action: 'fail' }> | Refused | { action: 'fail'; code: AnyFailureCode }
type Refused = { action: 'refuse'; code: AnyFailureCode }

async function expectFetch(
  deps: LookupDeps,
  payer: Payer | null,
  lookup: Lookup,
  plan: Extract<FreshnessPlan, { action: 'fetch' }>,
  { record }: Known,
): Promise<Expected> {
  const { identifier, freshness } = lookup
  const orStale = (code: AnyFailureCode): Expected =>
    plan.mayFallBack && record ? { action: 'serve', source: 'stale_fallback' } : { action: 'fail', code }
  const route = payer?.route ?? null
  const found = await nullIfNotFound(askableIdentifier(deps, identifier, route))
  if (!found) return { action: 'fail', code: 'not_found' }
  const askable = found.identifier
  const demands = demandsOf(lookup)
  const lacking = demands.length > 0 && !wantsFresh(freshness, deps.rules.freshness)
  const { providers, paths } = lacking ? deps.fieldLacks.lacking(identifierKey(askable), demands) : nobodyLacks
  if (providers.size > 0 && !deps.chain.canAsk(askable, route, providers))
    return { action: 'fail', code: lackFailure(paths.length > 0 ? paths : demands).code }
  if (payer && (await deps.missAllowance.isUsedUp(payer.keyId)))
    return { action: 'refuse', code: 'upstream_allowance_exceeded' }
  if (!deps.chain.canAsk(askable, route)) return orStale('not_found')
  return deps.chain.isOut(payer?.environmentId ?? 0, route, deps.rules.costAtMost)
    ? orStale('upstream_unavailable')
    : plan
}

async function nullIfNotFound<Result>(reading: Promise<Result>): Promise<Result | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return null
    throw error
  }
}

async function isFreeRepeat(deps: LookupDeps, payer: Payer | null, record: ReadyRecord | null): Promise<boolean> {
  const { repeatFreeDays } = deps.rules
  if (!payer || !record || repeatFreeDays === 0) return false
  const paidAt = await deps.credits.paidAt({ environmentId: payer.environmentId, entityId: record.entityId })
  const now = deps.clock.now()
  return paidAt !== null && paidAt >= now - repeatFreeDays * dayMs && !isAhead(paidAt, now)
}

/** Asks the ledger for its decision; null without a key. */
async function ask(deps: LookupDeps, payer: Payer | null, lookup: Lookup, amount: number): Promise<Decision | null> {
  if (!payer) return null
  const { keyId, environmentId } = payer
  const { requestId } = lookup
  const idempotency = idempotencyOf(deps, payer, lookup)
  return deps.settle({ keyId, environmentId, type: 'check', requestId, at: deps.clock.now(), amount, idempotency })
}

/** The outcome if the ledger refuses the call or has answered it before; null if the call continues. */
async function endedByLedger(
  deps: LookupDeps,
  decision: Decision | null,
  { identifier: { kind } }: Lookup,
  { suppressed }: Known,
): Promise<Preflight | null> {
  if (!decision || decision.outcome === 'settled') return null
  if (decision.outcome === 'refused') return refusal(decision.code)
  if (decision.outcome === 'mismatch') return refusal('idempotency_key_reused')
  if (decision.outcome === 'running' || decision.outcome === 'superseded') return refusal('request_in_progress')
  const copy =
    suppressed || decision.versionId === null
      ? null
      : await deps.store.records.readVersion({ versionId: decision.versionId })
  if (!copy) return refusal('not_found')
  const ageSeconds = ageOf(deps, readyRecord(kind, copy))
  return { source: decision.source, ageSeconds, price: 0, maxPrice: 0, refused: null, asksProvider: false }
}

/** The outcome of a call that fails before it costs anything. */
export function refusal(refused: AnyFailureCode): Preflight {
  return { source: null, ageSeconds: null, price: 0, maxPrice: 0, refused, asksProvider: false }
}

function ageOf({ clock }: LookupDeps, record: ReadyRecord | null): number {
  return record ? Math.max(0, Math.floor((clock.now() - record.fetchedAt) / 1_000)) : 0
}

async function preflightSample(deps: LookupDeps, lookup: Lookup): Promise<Preflight> {
  try {
    const { source, fetchedAt } = answerSample(deps, lookup)
    const ageSeconds = Math.max(0, Math.floor((deps.clock.now() - fetchedAt) / 1_000))
    return { source, ageSeconds, price: 0, maxPrice: 0, refused: null, asksProvider: source === 'live' }
  } catch (error) {
    if (error instanceof Failure) return refusal(error.code)
    throw error
  }
}

/** Misses of operators share one counter, separate from those of keys. */
const operator = { keyId: 'operator', environmentId: 0, project: '', environment: '', route: null }

/** A lookup without a charge: the same freshness rule and fetch, but no ledger. */
export async function operatorLookup(deps: LookupDeps, lookup: Lookup): Promise<Found> {
  const known = await recallRecord(deps, lookup, null)
  if (known.suppressed) throw notFound()
  const plan = planFreshness(lookup.freshness, knownState(deps, lookup.name, known), deps.rules.freshness)
  if (plan.action === 'serve' && known.record) return { record: known.record, source: plan.source }
  if (plan.action !== 'fetch') throw notFound()
  return fetchOrFallBack(deps, { payer: operator, lookup }, plan.mayFallBack ? known.record : null)
}
