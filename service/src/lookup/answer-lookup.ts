import type { DataSource } from '@vitae/contract'
import type { SettleRequest } from '../credits/decision/settlement-requests.ts'
import { Failure } from '../foundation/failure.ts'
import { onRoute } from '../foundation/environments/route.ts'
import { inSpan } from '../foundation/tracing.ts'
import { cutBody } from '../records/body/record-bytes.ts'
import { traceOf } from './asked/call-trace.ts'
import { fetchOrFallBack, type Found } from './fetch/fetch-or-fall-back.ts'
import { ageOf } from '../foundation/clock.ts'
import { noteFold, shownFills, withinAge } from './recall/applicable-fills.ts'
import { effectiveMaxAgeMs, planFreshness, wantsFresh, type KnownState } from './asked/freshness.ts'
import type { Lookup, LookupAnswer } from './asked/lookup.ts'
import type { LookupDeps, Payer } from './payment/deps.ts'
import { EarlyPayment } from './payment/early-payment.ts'
import { lackFailure, lacksOf } from './recall/demands.ts'
import {
  needsSites,
  withSites,
  notFound,
  notStored,
  readyRecord,
  recallHot,
  recallOnRoute,
  withDemands,
  type Known,
} from './recall/recall-record.ts'
import {
  accepted,
  askLedger,
  callOf,
  keepHold,
  payment,
  stepOf,
  type Call,
  type Replay,
  type Running,
  type Settled,
} from './payment/pay.ts'
import type { ReadyRecord } from './recall/record-cache.ts'

/** Answers a paid lookup: turns a resolved identifier into a record with its provenance and price. */
export async function answerLookup(deps: LookupDeps, payer: Payer, lookup: Lookup): Promise<LookupAnswer> {
  const call = callOf(deps, payer, lookup)
  const first = await attempt(deps, call)
  return isRunning(first) ? attemptLater(deps, call) : first
}

/** The same call already runs elsewhere: waits for it to end, then attempts this one again. */
async function attemptLater(deps: LookupDeps, call: Call): Promise<LookupAnswer> {
  // Uses the monotonic clock, because the system clock may be changed while the connection waits.
  const waitEnds = performance.now() + deps.rules.idempotencyWaitMs
  for (;;) {
    const leftMs = waitEnds - performance.now()
    if (leftMs <= 0) throw new Failure('request_in_progress', { retryAfterSeconds: 2 })
    await deps.runningCalls.wait(runningName(call), leftMs)
    throwIfGone(call.lookup)
    // The first call may have failed, so this attempt shares only fetches that end from now on.
    call.lookup.since = deps.fetchOutcomes.mark
    const ended = await attempt(deps, call)
    if (!isRunning(ended)) return ended
  }
}

/** Makes one attempt. A duplicate of a call that still runs returns `running`, and the caller tries again. */
function attempt(deps: LookupDeps, call: Call): Promise<LookupAnswer | Running> {
  const { identifier, name } = call.lookup
  return inSpan('vitae.lookup', { kind: identifier.kind }, () => {
    const hot = recallHot(deps, name, call.payer.route)
    return hot ? serveBy(deps, call, hot) : attemptCold(deps, call)
  })
}

async function attemptCold(deps: LookupDeps, call: Call): Promise<LookupAnswer | Running> {
  const { lookup, payer } = call
  const trace = traceOf(lookup, deps.clock.now())
  const known = await trace.time('recall', recallOnRoute(deps, lookup.identifier, payer.route, lookup.onlyFacts))
  return serveBy(deps, known.suppressed ? { ...call, suppressed: true } : call, known)
}

/** Not async, like `attempt`: on the hot path an extra promise costs more than the freshness rule. */
function serveBy(deps: LookupDeps, call: Call, recalled: Known): Promise<LookupAnswer | Running> {
  const { payer, lookup } = call
  if (needsSites(lookup.expect, recalled.record))
    return withSites(deps, payer.route, lookup.expect, recalled.record).then((record) =>
      serveBy(deps, call, { ...recalled, record }),
    )
  const known = withDemands(call.lookup, asSeen(deps, call.lookup, recalled))
  const state = knownState(deps, onRoute(call.lookup.name, call.payer.route), known)
  const plan = planFreshness(call.lookup.freshness, state, deps.rules.freshness)
  if (call.lookup.trace || plan.action !== 'serve' || plan.source !== 'store')
    traceOf(call.lookup, deps.clock.now()).decided(plan, state, deps.rules.freshness)
  // A fetch compares the record with the stored one, or falls back to it.
  if (plan.action === 'fetch' && lookup.onlyFacts && known.record) {
    lookup.onlyFacts = false
    return attemptCold(deps, call)
  }
  if (plan.action === 'serve' && known.record) return serveStored(deps, call, known.record, plan.source)
  if (plan.action === 'fetch') return fetchInTurn(deps, call, recalled, plan.mayFallBack ? known.record : null)
  const isMismatch = recalled.record !== null && known.record === null && Boolean(lookup.expect)
  return failUnbilled(deps, call, plan.action === 'fail' ? plan.code : 'not_found', isMismatch)
}

/** Drops fills that are older than the call allows. */
export function asSeen(deps: LookupDeps, { freshness }: Lookup, known: Known): Known {
  if (!known.record?.fold) return known
  return { ...known, record: withinAge(deps, known.record, freshness) }
}

/** The age of the known copy or miss, as input of the freshness rule. */
export function knownState(deps: LookupDeps, name: string, { record, notFoundAt }: Known): KnownState {
  const now = deps.clock.now()
  return {
    copyAgeMs: record && ageOf(record.fetchedAt, now),
    notFoundAgeMs: notFoundAt === null ? null : ageOf(notFoundAt, now),
    cooling: deps.cooldowns.isCooling(name),
  }
}

/** Charges for a stored record in one step, without a hold. */
async function serveStored(
  deps: LookupDeps,
  call: Call,
  record: ReadyRecord,
  source: DataSource,
): Promise<LookupAnswer | Running> {
  const shown = await shownRecord(deps, call, record)
  const answer = answerOf(call.lookup, shown, source)
  const paid = accepted(await askLedger(deps, payment('charge', deps, call, shown, { source }, shown)))
  return settledAnswer(deps, call, answer, paid)
}

/** Records the fills of this answer in the store, so that a replay and the receipt can name them. */
async function shownRecord(deps: LookupDeps, { lookup }: Call, record: ReadyRecord): Promise<ReadyRecord> {
  if (!record.fold) return record
  const shown = shownFills(withinAge(deps, record, lookup.freshness), lookup)
  await noteFold(deps, shown)
  return shown
}

/** Nothing can be served or fetched. The ledger is still checked first, so that a replay stays a replay. */
async function failUnbilled(
  deps: LookupDeps,
  call: Call,
  code: 'not_found' | 'not_stored',
  isMismatch: boolean,
): Promise<LookupAnswer | Running> {
  const amount = call.book.highest(call.priced)
  const check: SettleRequest = { ...stepOf(call), type: 'check', at: deps.clock.now(), amount }
  const checked = accepted(await askLedger(deps, check))
  if (checked.outcome === 'running') return checked
  if (checked.outcome === 'replay') return replay(deps, call, checked)
  // The answer reveals that the stored record is not the expected one, so it uses the miss allowance like a fetch that
  // found nobody.
  if (isMismatch) await deps.missAllowance.count(call.payer.keyId)
  throw code === 'not_found' ? notFound() : notStored()
}

/** Fetches. A call of the service waits for its turn, unless another call has stored the record by then. */
async function fetchInTurn(
  deps: LookupDeps,
  call: Call,
  { record }: Known,
  fallback: ReadyRecord | null,
): Promise<LookupAnswer | Running> {
  const { fetchTurn } = call.lookup
  if (!fetchTurn) return fetchAndServe(deps, call, record, fallback)
  await fetchTurn()
  const hot = recallHot(deps, call.lookup.name, call.payer.route)
  if (hot && !isSameCopy(hot.record, record)) return serveBy(deps, call, hot)
  return fetchAndServe(deps, call, record, fallback)
}

/**
 * Holds the price, then captures it on success or releases it on failure. A caller that disconnects meanwhile pays
 * nothing: its retry finds the fetched record in the store.
 */
async function fetchAndServe(
  deps: LookupDeps,
  call: Call,
  known: ReadyRecord | null,
  fallback: ReadyRecord | null,
): Promise<LookupAnswer | Running> {
  const step = stepOf(call)
  const now = deps.clock.now()
  const trace = traceOf(call.lookup, now)
  const amount = call.book.highest(call.priced)
  const hold: SettleRequest = { ...step, type: 'hold', at: now, amount, expiresAt: now + deps.rules.holdMs }
  const held = accepted(await trace.time('hold', askLedger(deps, hold)))
  if (held.outcome === 'running') return held
  if (held.outcome === 'replay') return replay(deps, call, held)

  const end = step.idempotency ? deps.runningCalls.begin(runningName(call)) : undefined
  const stopKeeping = keepHold(deps, step)
  const early = new EarlyPayment(deps, call, known)
  try {
    const brought = await broughtMeanwhile(deps, call, known)
    const base = baseToFill(deps, call.lookup, known)
    const fetching = () => trace.time('fetch', fetchOrFallBack(deps, { ...call, early }, fallback, base))
    const { record: found, source, pricedAs } = brought ?? (await fetching())
    const record = await shownRecord(deps, call, found)
    if (!early.decision) throwIfGone(call.lookup)
    // The answer is built before the capture: nothing that can fail may run between the capture and the response.
    const answer = answerOf(call.lookup, record, source)
    const capture = () => askLedger(deps, payment('capture', deps, call, record, { source, pricedAs }, known))
    const paid = accepted(early.decision ?? (await trace.time('capture', capture())))
    return await settledAnswer(deps, call, answer, paid)
  } catch (error) {
    await trace.time('release', deps.settle({ ...step, type: 'release', at: deps.clock.now() }))
    throw error
  } finally {
    stopKeeping()
    end?.()
  }
}

/** The stored copy if it is young enough and only lacks required fields: then other providers are asked to fill it. */
function baseToFill(deps: LookupDeps, lookup: Lookup, known: ReadyRecord | null): ReadyRecord | undefined {
  const { require, expect, freshness } = lookup
  const age = known && ageOf(known.fetchedAt, deps.clock.now())
  if (!require || age === null || wantsFresh(freshness, deps.rules.freshness)) return undefined
  const isYoung = age <= effectiveMaxAgeMs(freshness.maxAgeDays, deps.rules.freshness)
  return known && isYoung && lacksOf(known, { expect }).length === 0 ? known : undefined
}

function isSameCopy(one: ReadyRecord | null, other: ReadyRecord | null): boolean {
  return one?.versionId === other?.versionId && one?.fold?.id === other?.fold?.id
}

/** The caller or its proxy has disconnected. Only a call that disconnects before the capture is free. */
function throwIfGone({ isGone }: Lookup): void {
  if (isGone?.()) throw new Failure('client_closed_request')
}

/** A record that another call fetched while this one waited for its hold; null if it is not fresh enough. */
async function broughtMeanwhile(
  deps: LookupDeps,
  { payer, lookup }: Call,
  known: ReadyRecord | null,
): Promise<Found | null> {
  const hot = recallHot(deps, lookup.name, payer.route)
  if (!hot?.record || isSameCopy(hot.record, known)) return null
  const record = await withSites(deps, payer.route, lookup.expect, hot.record)
  const now = withDemands(lookup, asSeen(deps, lookup, { ...hot, record }))
  const plan = planFreshness(
    lookup.freshness,
    knownState(deps, onRoute(lookup.name, payer.route), now),
    deps.rules.freshness,
  )
  return plan.action === 'serve' && now.record ? { record: now.record, source: plan.source } : null
}

function settledAnswer(
  deps: LookupDeps,
  call: Call,
  answer: LookupAnswer,
  paid: Settled | Replay | Running,
): LookupAnswer | Running | Promise<LookupAnswer> {
  if (paid.outcome === 'running') return paid
  if (paid.outcome === 'replay') return replay(deps, call, paid)
  answer.credits = paid
  return answer
}

/**
 * Repeats the first answer without a charge or an upstream call. Once the record is erased, a replay fails with
 * not_found.
 */
async function replay(deps: LookupDeps, call: Call, first: Replay): Promise<LookupAnswer> {
  // The subject was suppressed but not erased: the version still exists and must not be served.
  if (call.suppressed) throw notFound()
  const record = await recordOf(deps, call.lookup, first)
  const { sharedAs, expect } = call.lookup
  const judged = await withSites(deps, call.payer.route, expect, record)
  const lacks = sharedAs !== undefined && expect ? lacksOf(judged, { expect }) : []
  if (lacks.length > 0) throw lackFailure(lacks)
  const { entityId, versionId, fetchId } = record
  const foldId = record.fold?.id ?? null
  const answer = answerOf(call.lookup, record, first.source)
  answer.credits = { ...first, charged: 0 }
  return { ...answer, replay: { requestId: first.requestId, entityId, versionId, foldId, fetchId } }
}

/**
 * The version of the first answer. Most replays follow at once and find it in the cache; an erasure empties that cache.
 */
async function recordOf(
  deps: LookupDeps,
  { identifier, name }: Lookup,
  { versionId, foldId = null }: Pick<Replay, 'versionId' | 'foldId'>,
): Promise<ReadyRecord> {
  const hot = recallHot(deps, name, null)?.record
  if (hot && hot.versionId === versionId && (hot.fold?.id ?? null) === foldId) return hot
  const copy = versionId === null ? null : await deps.store.records.readVersion({ versionId, foldId })
  if (!copy) throw notFound()
  return readyRecord(identifier.kind, copy)
}

/** The answer without its price. */
function answerOf(lookup: Lookup, record: ReadyRecord, source: DataSource): LookupAnswer {
  return {
    body: cutBody(record, lookup.include, lookup.fields),
    source,
    fetchedAt: record.fetchedAt,
    sourceUpdatedAt: record.sourceUpdatedAt,
    thin: record.thin,
    entityId: record.entityId,
    versionId: record.versionId,
    foldId: record.fold?.id ?? null,
    ...(record.fold ? { filled: record.fold.fills } : {}),
    replay: null,
    credits: null,
    ...(lookup.identifier.match && record.match ? { match: record.match } : {}),
  }
}

function runningName({ payer, idempotency }: Call): string {
  return `${payer.environmentId}/${idempotency?.hash ?? ''}`
}

function isRunning(ended: LookupAnswer | Running): ended is Running {
  return 'outcome' in ended
}
