import type { DataSource } from '@vitae/contract'
import type { SettleRequest } from '../credits/settlement-requests.ts'
import { Failure } from '../foundation/failure.ts'
import { onRoute } from '../foundation/environments/route.ts'
import { inSpan } from '../foundation/tracing.ts'
import { cutBody } from '../records/body/record-bytes.ts'
import { traceOf } from './call-trace.ts'
import { fetchOrFallBack, type Found } from './fetch/fetch-or-fall-back.ts'
import { ageOf } from '../foundation/clock.ts'
import { noteFold, shownFills, withinAge } from './applicable-fills.ts'
import { effectiveMaxAgeMs, planFreshness, wantsFresh, type KnownState } from './freshness.ts'
import type { Lookup, LookupAnswer } from './lookup.ts'
import type { LookupDeps, Payer } from './deps.ts'
import { lackFailure, lacksOf } from './match/demands.ts'
import { needsSites, withSites } from './match/employer-sites.ts'
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
} from './pay.ts'
import type { ReadyRecord } from './record-cache.ts'
import { notFound, notStored, readyRecord, recallHot, recallOnRoute, withDemands, type Known } from './recall-record.ts'

/** Answers a paid lookup: from a resolved identifier to a record with its provenance and price. */
export async function answerLookup(deps: LookupDeps, payer: Payer, lookup: Lookup): Promise<LookupAnswer> {
  const call = callOf(deps, payer, lookup)
  const first = await attempt(deps, call)
  return isRunning(first) ? attemptLater(deps, call) : first
}

/** The same call is being served already: it is waited for, and then this one is attempted again. */
async function attemptLater(deps: LookupDeps, call: Call): Promise<LookupAnswer> {
  // Measured on the monotonic clock, because the system clock may be set while a connection waits.
  const waitEnds = performance.now() + deps.rules.idempotencyWaitMs
  for (;;) {
    const leftMs = waitEnds - performance.now()
    if (leftMs <= 0) throw new Failure('request_in_progress', { retryAfterSeconds: 2 })
    await deps.runningCalls.wait(runningName(call), leftMs)
    throwIfGone(call.lookup)
    // The first call may have failed: this attempt asks for itself and shares only fetches that end from now on.
    call.lookup.since = deps.fetchOutcomes.mark
    const ended = await attempt(deps, call)
    if (!isRunning(ended)) return ended
  }
}

/** One attempt; a duplicate of a call that still runs ends in `running` and is attempted again. */
function attempt(deps: LookupDeps, call: Call): Promise<LookupAnswer | Running> {
  const { identifier, name } = call.lookup
  return inSpan('vitae.lookup', { kind: identifier.kind }, () => {
    const hot = recallHot(deps, name, call.payer.route)
    return hot ? serveBy(deps, call, hot) : attemptCold(deps, call)
  })
}

async function attemptCold(deps: LookupDeps, call: Call): Promise<LookupAnswer | Running> {
  const trace = traceOf(call.lookup, deps.clock.now())
  const known = await trace.time('recall', recallOnRoute(deps, call.lookup.identifier, call.payer.route))
  return serveBy(deps, known.suppressed ? { ...call, suppressed: true } : call, known)
}

/** Not async, like `attempt`: a promise around a promise costs a hot answer more than its freshness rule. */
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
  if (plan.action === 'serve' && known.record) return serveStored(deps, call, known.record, plan.source)
  if (plan.action === 'fetch') return fetchInTurn(deps, call, recalled, plan.mayFallBack ? known.record : null)
  const isMismatch = recalled.record !== null && known.record === null && Boolean(lookup.expect)
  return failUnbilled(deps, call, plan.action === 'fail' ? plan.code : 'not_found', isMismatch)
}

/** What is known, with only those of its fills that are young enough for the call. */
export function asSeen(deps: LookupDeps, { freshness }: Lookup, known: Known): Known {
  if (!known.record?.fold) return known
  return { ...known, record: withinAge(deps, known.record, freshness) }
}

/** How old what is known is, for the freshness rule. */
export function knownState(deps: LookupDeps, name: string, { record, notFoundAt }: Known): KnownState {
  const now = deps.clock.now()
  return {
    copyAgeMs: record && ageOf(record.fetchedAt, now),
    notFoundAgeMs: notFoundAt === null ? null : ageOf(notFoundAt, now),
    cooling: deps.cooldowns.isCooling(name),
  }
}

/** A stored answer is charged in one step. */
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

/** The record with the fills that this answer shows, noted in the store so that a replay and the receipt can name them. */
async function shownRecord(deps: LookupDeps, { lookup }: Call, record: ReadyRecord): Promise<ReadyRecord> {
  if (!record.fold) return record
  const shown = shownFills(withinAge(deps, record, lookup.freshness), lookup)
  await noteFold(deps, shown)
  return shown
}

/** Nothing to serve and nothing to fetch: money is still looked at first, and a replay is still a replay. */
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
  // That a stored record is not the expected one is told by the answer, so it counts like a fetch that found nobody.
  if (isMismatch) await deps.missAllowance.count(call.payer.keyId)
  throw code === 'not_found' ? notFound() : notStored()
}

/** Fetches when it is this call's turn, unless another one has brought the record meanwhile. */
async function fetchInTurn(
  deps: LookupDeps,
  call: Call,
  { record }: Known,
  fallback: ReadyRecord | null,
): Promise<LookupAnswer | Running> {
  await deps.fetchStarts.next(call.lookup.name)
  const hot = recallHot(deps, call.lookup.name, call.payer.route)
  if (hot && !isSameCopy(hot.record, record)) return serveBy(deps, call, hot)
  return fetchAndServe(deps, call, record, fallback)
}

/**
 * A fetch first holds the price, then captures it on success or gives it back before the failure leaves. A caller that
 * has gone meanwhile pays nothing: what was fetched is in the store, where its retry finds it.
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
  try {
    const brought = await broughtMeanwhile(deps, call, known)
    const base = baseToFill(deps, call.lookup, known)
    const fetching = () => trace.time('fetch', fetchOrFallBack(deps, call, fallback, base))
    const { record: found, source, pricedAs } = brought ?? (await fetching())
    const record = await shownRecord(deps, call, found)
    throwIfGone(call.lookup)
    // Before the capture: nothing that can fail stands between it and the answer.
    const answer = answerOf(call.lookup, record, source)
    const capture = askLedger(deps, payment('capture', deps, call, record, { source, pricedAs }, known))
    const paid = accepted(await trace.time('capture', capture))
    return await settledAnswer(deps, call, answer, paid)
  } catch (error) {
    await trace.time('release', deps.settle({ ...step, type: 'release', at: deps.clock.now() }))
    throw error
  } finally {
    stopKeeping()
    end?.()
  }
}

/** A stored copy that is young enough and only lacks what is required: other providers are asked to fill it. */
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

/** Nobody waits for the answer any more: a proxy gave up, or the caller did. From the capture on a call is billed. */
function throwIfGone({ isGone }: Lookup): void {
  if (isGone?.()) throw new Failure('client_closed_request')
}

/** What another call has fetched while this one waited for its hold; null where the freshness rule wants more. */
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

/** Repeats the first answer by reference: no charge, no upstream call, and gone with an erasure. */
async function replay(deps: LookupDeps, call: Call, first: Replay): Promise<LookupAnswer> {
  // Kept out since, but not erased: the version is still there.
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

/** The version of a first answer. Most replays follow at once, and then it is the one in the cache, which an erasure empties. */
async function recordOf(
  deps: LookupDeps,
  { identifier, name }: Lookup,
  { versionId, foldId = null }: Pick<Replay, 'versionId' | 'foldId'>,
): Promise<ReadyRecord> {
  const hot = recallHot(deps, name, null)?.record
  if (hot && hot.versionId === versionId && (hot.fold?.id ?? null) === foldId) return hot
  const copy = versionId === null ? null : await deps.store.readVersion({ versionId, foldId })
  if (!copy) throw notFound()
  return readyRecord(identifier.kind, copy)
}

/** The answer, to which only its price is missing. */
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
