import type { DataSource } from '@vitae/contract'
import { highestPrice, priceOf } from '../credits/prices.ts'
import type { CallFacts, Idempotency, SettleRequest } from '../credits/settlement-requests.ts'
import { Failure } from '../foundation/failure.ts'
import { inSpan } from '../foundation/tracing.ts'
import { cutBody } from '../records/body/record-bytes.ts'
import { UpstreamFault } from '../providers/chain/provider-fault.ts'
import { faultToFailure } from '../providers/chain/fault-to-failure.ts'
import { fetchShared } from './fetch/fetch-record.ts'
import { planFreshness, type KnownState } from './freshness.ts'
import type { Lookup, LookupAnswer } from './lookup.ts'
import type { LookupNeeds, Payer } from './deps.ts'
import { accepted, askLedger, idempotencyMark, type Replay, type Running, type Settled } from './pay.ts'
import type { ReadyRecord } from './record-cache.ts'
import { notFound, readyRecord, recallHot, recallTogether, type Known } from './recall-record.ts'
import { UncertainMiss } from './fetch/uncertain-miss.ts'

/** One call with a live key, once everything about the request itself is known to be right. */
interface Call {
  payer: Payer
  lookup: Lookup
  idempotency: Idempotency | null
}

const dayMs = 86_400_000

/** The story of a paid lookup, from a resolved identifier to a record with honest provenance. */
export async function answerLookup(needs: LookupNeeds, payer: Payer, lookup: Lookup): Promise<LookupAnswer> {
  const call: Call = { payer, lookup, idempotency: idempotencyMark(needs, payer, lookup) }
  const first = await attempt(needs, call)
  return isRunning(first) ? attemptLater(needs, call) : first
}

/** The same call is being served already: it is waited for, and then this one is attempted again. */
async function attemptLater(needs: LookupNeeds, call: Call): Promise<LookupAnswer> {
  // A connection waits in real time, whatever happens to the clock on the wall.
  const patienceEnds = performance.now() + needs.rules.idempotencyWaitMs
  for (;;) {
    const patienceMs = patienceEnds - performance.now()
    if (patienceMs <= 0) throw new Failure('request_in_progress', { retryAfterSeconds: 2 })
    await needs.runningCalls.wait(runningName(call), patienceMs)
    const ended = await attempt(needs, call)
    if (!isRunning(ended)) return ended
  }
}

/** One attempt; a duplicate of a call that still runs ends in `running` and is attempted again. */
function attempt(needs: LookupNeeds, call: Call): Promise<LookupAnswer | Running> {
  const { identifier, name } = call.lookup
  return inSpan('vitae.lookup', { kind: identifier.kind }, () => {
    const hot = recallHot(needs, name)
    return hot ? serveBy(needs, call, hot) : attemptCold(needs, call)
  })
}

async function attemptCold(needs: LookupNeeds, call: Call): Promise<LookupAnswer | Running> {
  return serveBy(needs, call, await recallTogether(needs, call.lookup.identifier))
}

/** Not async, like `attempt`: a promise around a promise costs a hot answer more than its freshness rule. */
function serveBy(needs: LookupNeeds, call: Call, known: Known): Promise<LookupAnswer | Running> {
  const plan = planFreshness(call.lookup.freshness, knownState(needs, call.lookup, known), needs.rules.freshness)
  if (plan.action === 'serve' && known.record) return serveStored(needs, call, known.record, plan.source)
  if (plan.action === 'fetch') return fetchAndServe(needs, call, plan.mayFallBack ? known.record : null)
  return failUnbilled(needs, call, plan.action === 'fail' ? plan.code : 'not_found')
}

/** How old what is known is, for the freshness rule. */
export function knownState(needs: LookupNeeds, { name }: Lookup, { record, notFoundAt }: Known): KnownState {
  const now = needs.clock.now()
  return {
    copyAgeMs: record && now - record.fetchedAt,
    notFoundAgeMs: notFoundAt === null ? null : now - notFoundAt,
    cooling: needs.cooldowns.isCooling(name),
  }
}

/** A stored answer is charged in one step. */
async function serveStored(
  needs: LookupNeeds,
  call: Call,
  record: ReadyRecord,
  source: DataSource,
): Promise<LookupAnswer | Running> {
  const paid = accepted(await askLedger(needs, payment('charge', needs, call, record, source)))
  return settledAnswer(needs, call, record, source, paid)
}

/** Nothing to serve and nothing to fetch: money is still judged first, and a replay is still a replay. */
async function failUnbilled(
  needs: LookupNeeds,
  call: Call,
  code: 'not_found' | 'not_stored',
): Promise<LookupAnswer | Running> {
  const amount = highestPrice(needs.rules.prices, pricedAsk(call.lookup))
  const check: SettleRequest = { ...stepOf(call), type: 'check', at: needs.clock.now(), amount }
  const checked = accepted(await askLedger(needs, check))
  if (checked.outcome === 'running') return checked
  if (checked.outcome === 'replay') return replay(needs, call, checked)
  if (code === 'not_found') throw notFound()
  throw new Failure('not_stored', { detail: 'Nothing stored fits the request, and it forbids asking the provider.' })
}

/** A fetch first holds the price, then captures it on success or gives it back before the failure leaves. */
async function fetchAndServe(
  needs: LookupNeeds,
  call: Call,
  fallback: ReadyRecord | null,
): Promise<LookupAnswer | Running> {
  const step = stepOf(call)
  const now = needs.clock.now()
  const amount = highestPrice(needs.rules.prices, pricedAsk(call.lookup))
  const hold: SettleRequest = { ...step, type: 'hold', at: now, amount, expiresAt: now + needs.rules.holdMs }
  const held = accepted(await askLedger(needs, hold))
  if (held.outcome === 'running') return held
  if (held.outcome === 'replay') return replay(needs, call, held)

  const end = step.idempotency ? needs.runningCalls.begin(runningName(call)) : undefined
  try {
    const { record, source } = await fetchOrFallBack(needs, call, fallback)
    const paid = accepted(await askLedger(needs, payment('capture', needs, call, record, source)))
    return await settledAnswer(needs, call, record, source, paid)
  } catch (error) {
    await needs.settle({ ...step, type: 'release', at: needs.clock.now() })
    throw error
  } finally {
    end?.()
  }
}

/** A fetched record, or the old copy where an outage allows it. */
export async function fetchOrFallBack(
  needs: LookupNeeds,
  { payer, lookup }: Pick<Call, 'payer' | 'lookup'>,
  fallback: ReadyRecord | null,
): Promise<{ record: ReadyRecord; source: DataSource }> {
  try {
    return { record: await fetchShared(needs, payer, lookup), source: 'live' }
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error
    // Only an outage may be papered over: "not found" upstream must not resurrect an old copy.
    if (!fallback) throw error instanceof UncertainMiss ? notFound() : faultToFailure(error)
    needs.cooldowns.start(lookup.name)
    return { record: fallback, source: 'stale_fallback' }
  }
}

/** What the ledger is told about an answer, whether it is charged at once or captured from a hold. */
function payment(
  type: 'charge' | 'capture',
  needs: LookupNeeds,
  { payer, lookup, idempotency }: Call,
  record: ReadyRecord,
  source: DataSource,
): SettleRequest {
  const { prices } = needs.rules
  const at = needs.clock.now()
  const facts: CallFacts = {
    kind: lookup.identifier.kind,
    source,
    identifier: null,
    entityId: record.entityId,
    versionId: record.versionId,
    fetchId: record.fetchId,
    durationMs: at - lookup.startedAt,
  }
  return {
    type,
    keyId: payer.keyId,
    accountId: payer.accountId,
    requestId: lookup.requestId,
    at,
    idempotency,
    price: priceOf(prices, { ...pricedAsk(lookup), source, thin: record.thin }),
    repeatFreeSince: prices.repeatFreeDays > 0 ? at - prices.repeatFreeDays * dayMs : null,
    call: facts,
  }
}

/** What every step of a call has in common. */
function stepOf({ payer: { keyId, accountId }, lookup: { requestId }, idempotency }: Call) {
  return { keyId, accountId, requestId, idempotency }
}

function pricedAsk({ identifier, freshness }: Lookup) {
  return { kind: identifier.kind, bypass: freshness.bypassCache }
}

function settledAnswer(
  needs: LookupNeeds,
  call: Call,
  record: ReadyRecord,
  source: DataSource,
  paid: Settled | Replay | Running,
): LookupAnswer | Running | Promise<LookupAnswer> {
  if (paid.outcome === 'running') return paid
  if (paid.outcome === 'replay') return replay(needs, call, paid)
  return answerOf(needs, call.lookup, record, source, paid)
}

/** The first answer once more, by reference: no charge, no upstream call, and gone with an erasure. */
async function replay(needs: LookupNeeds, call: Call, first: Replay): Promise<LookupAnswer> {
  const record = await recordOf(needs, call.lookup, first.versionId)
  const { entityId, versionId, fetchId } = record
  const answer = answerOf(needs, call.lookup, record, first.source, { ...first, charged: 0 })
  return { ...answer, replay: { requestId: first.requestId, entityId, versionId, fetchId } }
}

/** The version of a first answer. Most replays follow at once, and then it is the one in the cache, which an erasure empties. */
async function recordOf(
  needs: LookupNeeds,
  { identifier, name }: Lookup,
  versionId: number | null,
): Promise<ReadyRecord> {
  const hot = recallHot(needs, name)?.record
  if (hot && hot.versionId === versionId) return hot
  const copy = versionId === null ? null : await needs.store.recallVersion({ versionId })
  if (!copy) throw notFound()
  return readyRecord(identifier.kind, copy)
}

function answerOf(
  needs: LookupNeeds,
  lookup: Lookup,
  record: ReadyRecord,
  source: DataSource,
  paid: { charged: number; available: number; ceilingRemaining: number | null },
): LookupAnswer {
  return {
    body: cutBody(record, lookup.include),
    source,
    fetchedAt: record.fetchedAt,
    sourceUpdatedAt: record.sourceUpdatedAt,
    thin: record.thin,
    replay: null,
    credits: { charged: paid.charged, available: paid.available, ceilingRemaining: paid.ceilingRemaining },
  }
}

function runningName({ payer, idempotency }: Call): string {
  return `${payer.accountId}/${idempotency?.hash ?? ''}`
}

function isRunning(ended: LookupAnswer | Running): ended is Running {
  return 'outcome' in ended
}
