import { cutPaths, type RawAnswer, withStoredCompanyIds } from '@vitae/provider'
import { onRoute } from '../../foundation/environments/route.ts'
import { identifierKey, type Identifier } from '../../foundation/identifier.ts'
import { CapReached } from '../../providers/transport/exchange.ts'
import type { ChainAnswer, FoundAnswer } from '../../providers/chain/chain-answer.ts'
import { dayMs } from '../../foundation/clock.ts'
import { unitStates, unsaidText } from '../../records/filling/unit-states.ts'
import { isThin, serialiseRecord } from '../../records/body/record-bytes.ts'
import { contactNamesIn } from '../../records/contact-index/contact-rows.ts'
import { companyPagesIn } from '../../records/rows/company-pages.ts'
import { searchTexts } from '../../records/rows/search-texts.ts'
import type { SavedFetch, SaveFetch } from '../../records/saving/save-fetch.ts'
import type { SaveFault } from '../../records/saving/save-miss.ts'
import { derivedKeysOf, suppressionHash, suppressionHashes } from '../../records/suppression/suppression-hash.ts'
import type { FetchNotes } from '../asked/call-trace.ts'
import type { LookupDeps } from '../payment/deps.ts'
import type { EarlyPayment } from '../payment/early-payment.ts'
import { usualLikelihood } from '../recall/demands.ts'
import { type FetchNeed, UncertainMiss } from './fetch-required.ts'
import { ambiguousMatch, askedNames, learnedFrom } from './learned-names.ts'
import { notFound, readyRecord } from '../recall/recall-record.ts'
import type { ReadyRecord } from '../recall/record-cache.ts'

/** A base fetched by the same call is never older than this. */
const sameCallMs = 3_600_000

/** Archives the chain's answer and acts on its outcome; the table is at `ChainAnswer`. */
export async function keepAnswer(
  deps: LookupDeps,
  need: FetchNeed,
  answer: ChainAnswer,
  notes: FetchNotes,
  early: EarlyPayment | null,
): Promise<ReadyRecord> {
  const { identifier, route } = need
  switch (answer.outcome) {
    case 'found':
      return keepFound(deps, need, answer, notes, early)
    case 'unknown':
      return keepMiss(deps, identifier, answer, null)
    case 'unknown_on_route':
      return keepMiss(deps, identifier, answer, route)
    case 'uncertain':
      await archiveMiss(deps, identifier, answer, 'not_found')
      throw new UncertainMiss()
    case 'ambiguous':
      await archiveMiss(deps, identifier, answer, 'ambiguous')
      throw ambiguousMatch()
  }
}

/** Archives the answer and stores its record, unless the subject is suppressed. */
async function keepFound(
  deps: LookupDeps,
  need: FetchNeed,
  answer: FoundAnswer,
  notes: FetchNotes,
  early: EarlyPayment | null,
): Promise<ReadyRecord> {
  const identifier = keptAs(need.identifier, answer)
  const save = await saveOf(deps, need, identifier, answer)
  const { generation } = deps.cache
  const saved = await (early ? early.save(save, readyFrom(save, unsaved, answer)) : deps.store.records.saveFetch(save))
  if (saved.suppressed) {
    notes.isSuppressed = true
    await deps.store.records.noteHiddenMiss({ hash: hashOf(deps, need.identifier), at: deps.clock.now() })
    return forgetName(deps, identifierKey(identifier))
  }
  const { entityId, absorbed, served } = saved
  const ready = readyFrom(save, saved, answer)
  const isBase = ready.versionId !== saved.versionId || served
  // If a stranger has taken over a slug, the stranger's record must not get the key that the slug stands for.
  const name = identifierKey(identifier === need.identifier ? identifier : { ...identifier, value: saved.key })
  deps.cooldowns.end(onRoute(name, need.route))
  deps.cache.moved(name, ready, save.identity.aliases, generation)
  // A thin answer, or one overtaken by a newer fetch, goes to the waiting calls only; the store keeps its version.
  if (!isBase) deps.cache.forgetEntity(entityId)
  // Cached names may still point to a record that was merged into this one.
  for (const id of absorbed) deps.cache.forgetEntity(id)
  const names = [...save.identity.aliases, identifier].map((alias) =>
    identifierKey({ ...alias, kind: identifier.kind }),
  )
  await deps.peers.notify({ topic: 'records', names, entityIds: [entityId, ...absorbed], all: false })
  return { ...ready, fetched: [{ versionId: saved.versionId, provider: answer.provider.name }] }
}

/**
 * The identifier under which a found record is stored. Companies may share a site, and a match contains no name, so
 * such a record is stored under its own key.
 */
function keptAs(asked: Identifier, { projection: { identity } }: FoundAnswer): Identifier {
  const { kind, type, match } = asked
  if (type !== 'domain' && match === undefined) return asked
  return { kind, type: kind === 'people' ? 'urn' : 'id', value: identity.key }
}

/** Everything that the store saves for a found record. */
async function saveOf(
  deps: LookupDeps,
  need: FetchNeed,
  identifier: Identifier,
  { provider, verdict, projection, attempts }: FoundAnswer,
): Promise<SaveFetch> {
  const { identity, sourceUpdatedAt } = projection
  const { secret } = deps
  const { kind } = identifier
  const [record = projection.record] = await withStoredCompanyIds(deps.store.records, [projection.record])
  const { body, parts } = serialiseRecord(kind, record)
  return {
    ...exchangeOf(identifier, { provider, verdict, attempts }),
    fetchedAt: verdict.fetchedAt,
    projection: provider.projectionVersion,
    identity,
    body,
    parts: JSON.stringify(parts),
    thin: isThin(record),
    sourceUpdatedAt,
    unsaid: unsaidText(projection.unsaid),
    texts: searchTexts(record),
    pages: companyPagesIn(record),
    contacts: contactNamesIn(secret, record),
    units: unitStates(kind, record, { supplies: provider.supplies[kind], notSaid: projection.unsaid ?? [] }),
    fills: need.base && {
      entityId: need.base.entityId,
      withinMs: Math.max(need.maxAgeDays * dayMs, sameCallMs),
    },
    learned: learnedFrom(secret, need, { match: verdict.match, body }),
    suppressionHashes: [
      ...suppressionHashes(secret, kind, identity, identifier),
      ...askedNames(secret, need.identifier).map((name) => suppressionHash(secret, kind, name)),
    ],
    derivedKeys: derivedKeysOf(secret, kind, identity),
  }
}

const unsaved = { entityId: 0, key: '', versionId: 0, fetchId: 0, fitted: null, folded: null }

/** The saved record in the form from which answers are sent. */
function readyFrom(
  save: SaveFetch,
  saved: Pick<Extract<SavedFetch, { suppressed: false }>, keyof typeof unsaved>,
  { provider, verdict }: FoundAnswer,
): ReadyRecord {
  const { entityId, key, versionId, fetchId, fitted, folded } = saved
  const { body, parts, thin, sourceUpdatedAt, fetchedAt = save.at } = save
  const sent = fitted ?? { body, parts }
  const copy = { entityId, key, versionId, fetchId, provider: provider.name, sourceUpdatedAt, thin, fetchedAt, ...sent }
  const { notLive, match } = verdict
  return {
    ...readyRecord(save.identifier.kind, folded ?? copy),
    ...(notLive ? { notLive } : {}),
    ...(match ? { match } : {}),
  }
}

/** Records that no provider has the record, for all environments or for the asked providers only. */
async function keepMiss(
  deps: LookupDeps,
  identifier: Identifier,
  answer: ChainAnswer,
  deniedBy: readonly string[] | null,
): Promise<never> {
  // Providers filter by the requested likelihood, so a miss above the default threshold proves nothing for later calls.
  if ((identifier.match?.minLikelihood ?? 0) > usualLikelihood) {
    await archiveMiss(deps, identifier, answer, 'not_found')
    throw new UncertainMiss()
  }
  const exchange = { ...exchangeOf(identifier, answer), suppressionHash: hashOf(deps, identifier) }
  const { deniedId } = await deps.store.records.saveMiss({ ...exchange, deniedBy })
  return forgetName(deps, identifierKey(identifier), deniedId)
}

/** Archives an answer without a record. Nothing is withdrawn, and no miss is remembered. */
async function archiveMiss(
  deps: LookupDeps,
  identifier: Identifier,
  answer: ChainAnswer,
  outcome: 'not_found' | 'ambiguous',
): Promise<void> {
  const exchange = { ...exchangeOf(identifier, answer), suppressionHash: hashOf(deps, identifier) }
  const isDenial = answer.attempts.some((one) => one.answer === answer.verdict.answer && one.isDenial)
  await saveFault(deps, { ...exchange, outcome, isDenial })
}

/** Archives an answer without a record. If it denies a stored record, the cache reads that record again. */
async function saveFault(deps: LookupDeps, fault: SaveFault): Promise<void> {
  const { deniedId } = await deps.store.records.saveFault(fault)
  if (deniedId === null) return
  deps.cache.forgetEntity(deniedId)
  await deps.peers.notify({ topic: 'records', names: [], entityIds: [deniedId], all: false })
}

/** The exchange behind the chain's answer, in the form in which it is archived. */
function exchangeOf(
  identifier: Identifier,
  { provider, verdict, attempts }: Pick<ChainAnswer, 'provider' | 'verdict' | 'attempts'>,
) {
  const { status, receivedAt: at } = verdict.answer
  const { durationMs = 0, requests } = attempts.find(({ answer }) => answer === verdict.answer) ?? {}
  const kept = archived(verdict.answer.body, provider.neverStore)
  return { identifier, provider: provider.name, at, status, cost: verdict.cost, durationMs, requests, ...kept }
}

/** The payload without the paths that its provider forbids to store, and the list of removed paths. */
function archived(body: Uint8Array, neverStore: readonly string[] = []) {
  if (neverStore.length === 0) return { payload: body }
  const { body: payload, removed } = cutPaths(body, neverStore)
  return { payload, removed: removed.length > 0 ? removed.join(',') : null }
}

/** Drops the cached copy of this name on every node. Under other names the record is read again. */
async function forgetName(deps: LookupDeps, name: string, entityId: number | null = null): Promise<never> {
  const entityIds = entityId === null ? [] : [entityId]
  deps.cache.forgetAlias(name)
  for (const id of entityIds) deps.cache.forgetEntity(id)
  await deps.peers.notify({ topic: 'records', names: [name], entityIds, all: false })
  throw notFound()
}

/** Archives every answer, including faults and retried ones; `kept` is archived with its record. */
export async function noteAttempts(
  deps: LookupDeps,
  identifier: Identifier,
  { attempts, requestId }: FetchNotes,
  kept: RawAnswer | null,
): Promise<void> {
  deps.faultLog.note(attempts, requestId)
  if (kept && attempts.every(({ answer, answers }) => answer === kept && answers.length === 1)) return
  const suppressionHash = hashOf(deps, identifier)
  for (const { provider, fault, answer: used, answers, durationMs, requests, isDenial, neverStore } of attempts) {
    if (fault instanceof CapReached) continue
    const facts = { identifier, suppressionHash, provider }
    for (const { receivedAt: at, status, body } of answers.filter((one) => one !== used)) {
      const kept = archived(body, neverStore)
      await deps.store.records.saveFault({ ...facts, outcome: 'interim', at, status, ...kept, durationMs: null })
    }
    if (used === kept && kept !== null) continue
    await saveFault(deps, {
      ...facts,
      isDenial,
      outcome: fault?.kind ?? 'not_found',
      at: used?.receivedAt ?? deps.clock.now(),
      status: used?.status ?? null,
      ...(used ? archived(used.body, neverStore) : { payload: null }),
      durationMs,
      requests,
    })
  }
}

/** The keyed hash under which a suppression of this identifier is found. */
export function hashOf({ secret }: Pick<LookupDeps, 'secret'>, identifier: Identifier): string {
  return suppressionHash(secret, identifier.kind, identifier)
}
