import { randomUUID } from 'node:crypto'
import { Failure } from '../../foundation/failure.ts'
import { identifierKey } from '../../foundation/identifier.ts'
import { mayUse, onRoute } from '../../foundation/environments/route.ts'
import { suppressionHash } from '../../records/suppression/suppression-hash.ts'
import { CallCost } from '../../providers/transport/exchange.ts'
import { ChainFault } from '../../providers/chain/chain-answer.ts'
import { askableIdentifier, checkSameEntity } from './askable-identifier.ts'
import { demandsIn, fetchRequired, knownLack, type FetchNeed, isMiss, UncertainMiss } from './fetch-required.ts'
import { endOf, endOfAnother, fetchOnceAcrossNodes, foundEnd } from './fetch-once-across-nodes.ts'
import { hashOf, keepAnswer, noteAttempts } from './keep-answer.ts'
import { FetchNotes } from '../asked/call-trace.ts'
import { effectiveMaxAgeMs } from '../asked/freshness.ts'
import { withSites, notFound, readOnRoute } from '../recall/recall-record.ts'
import { demandsOf } from '../recall/demands.ts'
import type { LookupDeps } from '../payment/deps.ts'
import type { Lookup } from '../asked/lookup.ts'
import type { EarlyPayment, FetchingCall } from '../payment/early-payment.ts'
import { isOnRoute } from '../recall/applicable-fills.ts'
import type { ReadyRecord } from '../recall/record-cache.ts'
import { dayMs } from '../../foundation/clock.ts'

/** The asking environment, the provider cost of the call so far, and its payment, if that may be settled with the save. */
interface Asker {
  environmentId: number
  spending: CallCost
  early: EarlyPayment | null
}

/** Fetches a record, or joins a fetch of the same record in progress. */
export async function fetchRecord(
  deps: LookupDeps,
  { payer, lookup, suppressed, early }: FetchingCall,
  base: ReadyRecord | undefined,
): Promise<ReadyRecord> {
  const { bypassCache: fresh } = lookup.freshness
  const maxAgeDays = fresh ? 0 : effectiveMaxAgeMs(lookup.freshness.maxAgeDays, deps.rules.freshness) / dayMs
  const required = {
    ...(lookup.require ? { require: lookup.require } : {}),
    ...(lookup.expect ? { expect: lookup.expect } : {}),
  }
  const { route } = payer
  const askable = await askableIdentifier(deps, lookup.identifier, route)
  const need: FetchNeed = {
    ...askable,
    fresh,
    maxAgeDays,
    route,
    ...required,
    base,
    ...(suppressed ? { suppressed } : {}),
  }
  const age = fresh ? 'now' : maxAgeDays
  const demands = demandsOf(demandsIn(need)).map((demand) => (demand.includes('=') ? hashName(deps, demand) : demand))
  // The name must separate suppressed calls from fetches that began before the suppression, and routes from each other.
  const name = [
    `${need.suppressed ? 'suppressed ' : ''}${onRoute(identifierKey(need.identifier), route)}?${age}`,
    ...demands,
  ].join(' ')
  // Only the call that makes the fetch uses its allowance: a call that waits causes no provider cost.
  const notes = new FetchNotes(lookup.requestId)
  // After the save of another question or with demands, the call may still fail.
  const paysEarly = demands.length === 0 && need.identifier === lookup.identifier
  const asker = {
    environmentId: payer.environmentId,
    spending: new CallCost(deps.rules.costAtMost),
    early: (paysEarly && early) || null,
  }
  const ask = async (one: FetchNeed) => {
    const record = await filledOnRoute(deps, one, await fetchFromChain(deps, one, asker, notes))
    return withSites(deps, route, lookup.expect, record)
  }
  const fetch = async () => {
    const lack = knownLack(deps, need)
    // Fields that no provider has reveal nothing about a person. A mismatch does, so it uses the allowance even if no
    // provider is asked.
    if (lack && lack.code !== 'identity_mismatch') throw lack
    const all = async () => {
      if (lack) throw lack
      return demands.length > 0 ? fetchRequired(deps, need, notes, ask) : ask(need)
    }
    const isGone = () => !early?.decision && (lookup.isGone?.() ?? false)
    return deps.missAllowance.spend(payer.keyId, all, { isMiss, isGone })
  }
  const shared = { name, identifier: need.identifier, route, demands: demandsIn(need) }
  const work = need.suppressed
    ? fetch
    : () => noting(deps, name, notes, fetchOnceAcrossNodes(deps, { ...shared, fetch }))
  let mayShareEnded = true
  for (;;) {
    const ended = mayShareEnded ? endedMeanwhile(deps, need, name, lookup) : null
    const flight = ended ?? deps.flights.join(name, work, notes)
    lookup.trace?.fetching(flight.notes)
    try {
      const record = await flight.result
      if (!flight.leads && isFromBefore(record, lookup.startedAt)) {
        mayShareEnded = false
        continue
      }
      if (need.identifier !== lookup.identifier) await checkSameEntity(deps, lookup.identifier, record)
      return record
    } catch (error) {
      const isMismatch = error instanceof Failure && error.code === 'identity_mismatch'
      if (isMismatch && !flight.leads) await deps.missAllowance.count(payer.keyId)
      // The leader's allowance must not limit the calls that only waited: they fetch for themselves.
      if (flight.leads || !(error instanceof Failure) || error.code !== 'upstream_allowance_exceeded') throw error
    }
  }
}

/** The time for which an answer of a provider may wait to be stored. Calls that begin meanwhile share it as live. */
const savingMs = 1_000

/**
 * Whether a shared record was fetched clearly before a call began: the process was paused, or its clock jumped, between
 * the provider's answer and its storage. Such a record is not live for this call.
 */
function isFromBefore({ fetchedAt, fold, notLive }: ReadyRecord, startedAt: number): boolean {
  const newest = Math.max(fetchedAt, ...(fold?.fills ?? []).map((fill) => fill.fetchedAt))
  return !notLive && newest < startedAt - savingMs
}

/** A fetch of the same question that ended after this call began. It is shared as if the call had waited for it. */
function endedMeanwhile(
  deps: LookupDeps,
  { identifier, route, suppressed }: FetchNeed,
  name: string,
  { since }: Lookup,
): { result: Promise<ReadyRecord>; leads: boolean; notes: FetchNotes } | null {
  const ended = since === undefined || suppressed ? null : deps.fetchOutcomes.since(name, since)
  if (!ended) return null
  const { end, notes } = ended
  const result = end instanceof Failure ? Promise.reject(end) : endOfAnother(deps, { identifier, route }, end)
  // Not the leader, so a shared mismatch counts in this caller's allowance too.
  return { result, leads: false, notes }
}

/** Records how a fetch ended, for calls that began before its end. */
async function noting(
  { fetchOutcomes }: LookupDeps,
  name: string,
  notes: FetchNotes,
  fetching: Promise<ReadyRecord>,
): Promise<ReadyRecord> {
  try {
    const record = await fetching
    fetchOutcomes.ended(name, foundEnd(record), notes)
    return record
  } catch (error) {
    fetchOutcomes.ended(name, error instanceof Failure && isMiss(error) ? error : endOf(error), notes)
    throw error
  }
}

async function fetchFromChain(
  deps: LookupDeps,
  need: FetchNeed,
  asker: Asker,
  notes: FetchNotes,
): Promise<ReadyRecord> {
  const { identifier, route } = need
  if (!deps.chain.canAsk(identifier, route)) throw new UncertainMiss()
  if (need.suppressed) return missSuppressed(deps, need, asker, notes)
  // Not `AbortSignal.timeout`: its timer would keep everything it references alive long after the answer.
  const limit = new AbortController()
  const { upstreamTotalMs: withinMs } = deps.rules
  const timer = setTimeout(() => limit.abort(new DOMException('too slow', 'TimeoutError')), withinMs)
  const { signal } = limit
  try {
    const answer = await deps.chain.ask({ ...need, ...asker, idempotencyKey: randomUUID(), signal, withinMs })
    notes.answered(answer.attempts)
    await noteAttempts(deps, identifier, notes, answer.verdict.answer)
    return await keepAnswer(deps, need, answer, notes, asker.early)
  } catch (error) {
    if (!(error instanceof ChainFault)) throw error
    notes.answered(error.attempts)
    await noteAttempts(deps, identifier, notes, null)
    throw error
  } finally {
    clearTimeout(timer)
    if (notes.answeredAt !== null) notes.saveMs = performance.now() - notes.answeredAt
  }
}

/** Removes fills by providers that are off the route, and plans the fills of the route instead. */
async function filledOnRoute(
  deps: LookupDeps,
  { identifier, route, base }: FetchNeed,
  record: ReadyRecord,
): Promise<ReadyRecord> {
  if (isOnRoute(record, route)) return record
  // The fetched record may have filled a base that is off the route. Then this caller has another base.
  const { versionId } = mayUse(route, record.provider) ? record : (base ?? record.fetched?.at(-1) ?? record)
  const { notLive, match, fetched } = record
  const own = await readOnRoute(deps, identifier.kind, versionId, route)
  if (!own) throw notFound()
  return { ...own, ...(notLive ? { notLive } : {}), ...(match ? { match } : {}), ...(fetched ? { fetched } : {}) }
}

/** Fails as a lookup of an unknown name would fail now, without asking any provider. */
async function missSuppressed(deps: LookupDeps, need: FetchNeed, asker: Asker, notes: FetchNotes): Promise<never> {
  notes.isSuppressed = true
  const { signal } = new AbortController()
  const ask = { ...need, ...asker, idempotencyKey: randomUUID(), signal }
  const presumed = await deps.chain.presumeMiss(ask).catch((error: unknown) => {
    if (error instanceof ChainFault) notes.presumed(error.attempts)
    throw error
  })
  notes.presumed(presumed.attempts)
  if (presumed.outcome === 'uncertain') throw new UncertainMiss()
  await deps.store.records.noteHiddenMiss({ hash: hashOf(deps, need.identifier), at: deps.clock.now() })
  throw notFound()
}

/** A keyed hash of what a caller expects of a person, because other nodes see the name of the fetch. */
function hashName({ secret }: LookupDeps, text: string): string {
  return suppressionHash(secret, 'people', { type: 'expect', value: text })
}
