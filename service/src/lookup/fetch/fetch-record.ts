import { randomUUID } from 'node:crypto'
import { Failure } from '../../foundation/failure.ts'
import { identifierKey, type Identifier } from '../../foundation/identifier.ts'
import { onRoute } from '../../foundation/environments/route.ts'
import { companyPagesIn } from '../../records/entities/company-pages.ts'
import { searchTexts } from '../../records/entities/search-texts.ts'
import { suppressionHash, suppressionHashes } from '../../records/suppression/suppression-hash.ts'
import { serialiseRecord, isThin } from '../../records/body/record-bytes.ts'
import { CallCost, CapReached } from '../../providers/chain/call-cost.ts'
import { ChainFault, type ChainAnswer } from '../../providers/chain/chain.ts'
import { type RawAnswer, withStoredCompanyIds } from '@vitae/provider'
import { askableIdentifier, checkSameEntity } from './askable-identifier.ts'
import { demandsIn, fetchRequired, throwIfAllLack, type FetchNeed } from './fetch-required.ts'
import { fetchOnceAcrossNodes } from './fetch-once-across-nodes.ts'
import { FetchNotes } from '../call-trace.ts'
import { effectiveMaxAgeMs } from '../freshness.ts'
import { demandsOf, usualLikelihood } from '../match/demands.ts'
import { ambiguousMatch, askedNames, learnedFrom } from '../match/learned-names.ts'
import type { LookupDeps } from '../deps.ts'
import type { Call } from '../pay.ts'
import { notFound, readyRecord } from '../recall-record.ts'
import type { ReadyRecord } from '../record-cache.ts'
import { isMiss, UncertainMiss } from './uncertain-miss.ts'
import { dayMs } from '../../foundation/clock.ts'
import { contactNamesIn } from '../../records/contact-index/contact-rows.ts'

/** Who asks, and what the call has cost so far. */
interface Asker {
  environmentId: number
  spending: CallCost
}

/** Fetches a record, or joins a fetch of the same that is under way. */
export async function fetchRecord(
  deps: LookupDeps,
  { payer, lookup, suppressed }: Pick<Call, 'payer' | 'lookup' | 'suppressed'>,
): Promise<ReadyRecord> {
  const { bypassCache: fresh } = lookup.freshness
  const maxAgeDays = fresh ? 0 : effectiveMaxAgeMs(lookup.freshness.maxAgeDays, deps.rules.freshness) / dayMs
  const required = {
    ...(lookup.require ? { require: lookup.require } : {}),
    ...(lookup.expect ? { expect: lookup.expect } : {}),
  }
  const { route } = payer
  const askable = await askableIdentifier(deps, lookup.identifier, route)
  const need: FetchNeed = { ...askable, fresh, maxAgeDays, route, ...required, ...(suppressed ? { suppressed } : {}) }
  const age = fresh ? 'now' : maxAgeDays
  const demands = demandsOf(demandsIn(need)).map((demand) => (demand.includes('=') ? hashName(deps, demand) : demand))
  // Never one with a fetch that began before the suppression, or for those who may ask others.
  const name = [
    `${need.suppressed ? 'suppressed ' : ''}${onRoute(identifierKey(need.identifier), route)}?${age}`,
    ...demands,
  ].join(' ')
  // Only the call that makes the fetch uses its allowance: one that waits costs the operator nothing.
  const notes = new FetchNotes(lookup.requestId)
  const asker = { environmentId: payer.environmentId, spending: new CallCost(deps.rules.costAtMost) }
  const ask = (one: FetchNeed) => fetchFromChain(deps, one, asker, notes)
  const fetch = async () => {
    throwIfAllLack(deps, need)
    const all = demands.length > 0 ? () => fetchRequired(deps, need, notes, ask) : () => ask(need)
    return deps.missAllowance.spend(payer.keyId, all, { isMiss, isGone: lookup.isGone })
  }
  const shared = { name, identifier: need.identifier, route, demands: demandsIn(need) }
  for (;;) {
    const flight = deps.flights.join(
      name,
      () => (need.suppressed ? fetch() : fetchOnceAcrossNodes(deps, { ...shared, fetch })),
      notes,
    )
    lookup.trace?.fetching(flight.notes)
    try {
      const record = await flight.result
      if (need.identifier !== lookup.identifier) await checkSameEntity(deps, lookup.identifier, record)
      return record
    } catch (error) {
      // The allowance of the call that led does not bind those that only waited: they try for themselves.
      if (flight.leads || !(error instanceof Failure) || error.code !== 'upstream_allowance_exceeded') throw error
    }
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
  // Not `AbortSignal.timeout`: its timer would stay, with all that it holds, long after the answer.
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(new DOMException('too slow', 'TimeoutError')), deps.rules.upstreamTotalMs)
  try {
    const answer = await deps.chain.ask({ ...need, ...asker, idempotencyKey: randomUUID(), signal: limit.signal })
    notes.answered(answer.attempts)
    await noteAttempts(deps, identifier, notes, answer.verdict.answer)
    return await keep(deps, need, answer, notes)
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

/** The end that an unknown name has now, by what is known of the providers: none of them is asked. */
async function missSuppressed(deps: LookupDeps, need: FetchNeed, asker: Asker, notes: FetchNotes): Promise<never> {
  notes.isSuppressed = true
  const { signal } = new AbortController()
  const { firm } = await deps.chain.presumeMiss({ ...need, ...asker, idempotencyKey: randomUUID(), signal })
  if (!firm) throw new UncertainMiss()
  await deps.store.noteHiddenMiss({ hash: hashOf(deps, need.identifier), at: deps.clock.now() })
  throw notFound()
}

/** Archives the answer and projects it into the store, unless the person or company is suppressed. */
async function keep(deps: LookupDeps, need: FetchNeed, answer: ChainAnswer, notes: FetchNotes): Promise<ReadyRecord> {
  const { identifier: asked, route } = need
  const { provider, verdict, projection } = answer
  // Several companies may share a site, so its domain never becomes the name of one.
  const isFound = (asked.type === 'domain' || asked.match !== undefined) && projection !== null
  const identifier: Identifier = isFound ? foundAs(asked, projection.identity.key) : asked
  const { status, body: payload, receivedAt: at } = verdict.answer
  const { durationMs = 0, requests } = answer.attempts.find((attempt) => attempt.answer === verdict.answer) ?? {}
  const facts = { identifier, provider: provider.name, at, status, cost: verdict.cost, durationMs, requests, payload }
  const name = identifierKey(identifier)
  if (answer.isAmbiguous) throw await keepAmbiguous(deps, { ...facts, suppressionHash: hashOf(deps, identifier) })
  if (!projection)
    return keepMiss(deps, answer, {
      ...facts,
      suppressionHash: hashOf(deps, identifier),
      deniedBy: answer.whole ? null : route,
    })

  const { identity, sourceUpdatedAt } = projection
  const [record = projection.record] = await withStoredCompanyIds(deps.store, [projection.record])
  const generation = deps.cache.generation
  const thin = isThin(record)
  const serialised = serialiseRecord(identifier.kind, record)
  const sent = { body: serialised.body, parts: JSON.stringify(serialised.parts) }
  const saved = await deps.store.saveFetch({
    ...facts,
    counts: deps.callCounts.take(),
    fetchedAt: verdict.fetchedAt,
    projection: provider.projectionVersion,
    identity,
    ...sent,
    thin,
    sourceUpdatedAt,
    texts: searchTexts(record),
    pages: companyPagesIn(record),
    contacts: contactNamesIn(deps.secret, record),
    learned: learnedFrom(deps.secret, need, { match: verdict.match, body: serialised.body }),
    suppressionHashes: [
      ...suppressionHashes(deps.secret, identifier.kind, identity, identifier),
      ...askedNames(deps.secret, asked).map((name) => suppressionHash(deps.secret, identifier.kind, name)),
    ],
  })
  if (saved.suppressed) {
    notes.isSuppressed = true
    await deps.store.noteHiddenMiss({ hash: hashOf(deps, asked), at: deps.clock.now() })
    return forgetName(deps, name)
  }
  const { entityId, versionId, fetchId, absorbed, fitted } = saved
  const copy = { entityId, versionId, fetchId, provider: provider.name, sourceUpdatedAt, thin, ...(fitted ?? sent) }
  const stored = readyRecord(identifier.kind, { ...copy, fetchedAt: verdict.fetchedAt ?? at })
  const { notLive, match } = verdict
  const ready = { ...stored, ...(notLive ? { notLive } : {}), ...(match ? { match } : {}) }
  deps.cooldowns.end(onRoute(name, route))
  deps.cache.moved(name, ready, identity.aliases, generation)
  // A thin answer, or one that a newer fetch overtook, goes to the calls that wait for it; the store keeps what it has.
  if (!saved.served) deps.cache.forgetEntity(entityId)
  // Names of its own still lead to a record that has become part of this one.
  for (const id of absorbed) deps.cache.forgetEntity(id)
  const names = [...identity.aliases, identifier].map((alias) => identifierKey({ ...alias, kind: identifier.kind }))
  await deps.peers.notify({ topic: 'records', names, entityIds: [entityId, ...absorbed], all: false })
  return ready
}

/** What was asked by says nothing that could be a name: the record is kept under its own key. */
function foundAs({ kind }: Identifier, key: string): Identifier {
  return { kind, type: kind === 'people' ? 'urn' : 'id', value: key }
}

/** Several records fit as well: what came is archived, and nothing is remembered as missing. */
async function keepAmbiguous(
  deps: LookupDeps,
  facts: Omit<Parameters<LookupDeps['store']['saveFault']>[0], 'outcome'>,
): Promise<Failure> {
  await deps.store.saveFault({ ...facts, counts: deps.callCounts.take(), outcome: 'ambiguous' })
  return ambiguousMatch()
}

async function keepMiss(
  deps: LookupDeps,
  answer: ChainAnswer,
  facts: Parameters<LookupDeps['store']['saveMiss']>[0],
): Promise<never> {
  // Providers are told how sure they must be: only a miss at the usual threshold says something to the calls after it.
  const isFirm = answer.firm && (facts.identifier.match?.minLikelihood ?? 0) <= usualLikelihood
  if (!isFirm) {
    await deps.store.saveFault({ ...facts, counts: deps.callCounts.take(), outcome: 'not_found' })
    throw new UncertainMiss()
  }
  await deps.store.saveMiss({ ...facts, counts: deps.callCounts.take() })
  return forgetName(deps, identifierKey(facts.identifier))
}

/** No copy is served under this name any more, on any node. */
async function forgetName(deps: LookupDeps, name: string): Promise<never> {
  deps.cache.forgetAlias(name)
  await deps.peers.notify({ topic: 'records', names: [name], entityIds: [], all: false })
  throw notFound()
}

/** Archives every answer, faults and retried ones included; `kept` is archived with its record. */
async function noteAttempts(
  deps: LookupDeps,
  identifier: Identifier,
  { attempts, requestId }: FetchNotes,
  kept: RawAnswer | null,
): Promise<void> {
  deps.faultLog.note(attempts, requestId)
  if (kept && attempts.every(({ answer, answers }) => answer === kept && answers.length === 1)) return
  const suppressionHash = hashOf(deps, identifier)
  for (const { provider, fault, answer: used, answers, durationMs, requests } of attempts) {
    if (fault instanceof CapReached) continue
    const facts = { identifier, suppressionHash, provider }
    for (const { receivedAt: at, status, body: payload } of answers.filter((one) => one !== used)) {
      const counts = deps.callCounts.take()
      await deps.store.saveFault({ ...facts, counts, outcome: 'interim', at, status, payload, durationMs: null })
    }
    if (used === kept && kept !== null) continue
    await deps.store.saveFault({
      ...facts,
      counts: deps.callCounts.take(),
      outcome: fault?.kind ?? 'not_found',
      at: used?.receivedAt ?? deps.clock.now(),
      status: used?.status ?? null,
      payload: used?.body ?? null,
      durationMs,
      requests,
    })
  }
}

/** What a caller expects of a person goes into names that other nodes see: as a keyed hash. */
function hashName({ secret }: LookupDeps, text: string): string {
  return suppressionHash(secret, 'people', { type: 'expect', value: text })
}

function hashOf(deps: LookupDeps, identifier: Identifier): string {
  return suppressionHash(deps.secret, identifier.kind, identifier)
}
