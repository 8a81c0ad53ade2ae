import { isTime } from '@vitae/provider'
import { identifierKey, isDerivedCompanyId, type Identifier } from '../foundation/identifier.ts'
import type { Store } from '../database/store.ts'
import { Failure } from '../foundation/failure.ts'
import { deniedAt, ownImport, type Denials, type Route } from '../foundation/environments/route.ts'
import { inSpan } from '../foundation/tracing.ts'
import type { RecordOperations } from '../records/operations.ts'
import { suppressionHash } from '../records/suppression/suppression-hash.ts'
import type { StoredCopy } from '../records/versions/stored-copy.ts'
import type { CutRecord, PartOffsets } from '../records/body/record-bytes.ts'
import { isOnRoute, keepFills } from './applicable-fills.ts'
import { lacksOf, usualLikelihood } from './match/demands.ts'
import type { Lookup } from './lookup.ts'
import type { SingleFlight } from './fetch/single-flight.ts'
import type { ReadyRecord, RecordCache } from './record-cache.ts'

/** What is known under an identifier before a provider is asked. */
export interface Known {
  record: ReadyRecord | null
  notFoundAt: number | null
  /** It goes the way of an identifier that nobody knows, and no provider is asked. */
  suppressed?: true
  /** Who said that there is no such record, while others were not asked. */
  denials?: Denials | undefined
}

interface RecallDeps {
  cache: RecordCache
  secret: string
  store: Pick<Store<RecordOperations>, 'readRecord' | 'foldEntity' | 'companyPage'>
  /** Reads of the store that are under way. */
  recalls: SingleFlight<Known>
}

interface Deps extends RecallDeps {
  store: RecallDeps['store'] & Pick<Store<RecordOperations>, 'readVersion' | 'readVersionBy'>
}

/** Reads the cache only. What it holds is neither suppressed, because an erasure empties it, nor denied by anybody since. */
export function recallHot(deps: Pick<Deps, 'cache'>, name: string, route: Route): Known | null {
  const record = deps.cache.get(name)
  return record && isOnRoute(record, route) ? { record, notFoundAt: null } : null
}

/** Reads the cache, then the store. */
export async function recallRecord(
  deps: Deps,
  { identifier, name }: Pick<Lookup, 'identifier' | 'name'>,
  route: Route,
): Promise<Known> {
  return recallHot(deps, name, route) ?? (await recallOnRoute(deps, identifier, route))
}

/** Reads the store, and of what it has only that which the route allows. */
export async function recallOnRoute(deps: Deps, identifier: Identifier, route: Route): Promise<Known> {
  const known = await recallTogether(deps, identifier)
  return route === null ? known : knownOnRoute(deps, identifier.kind, route, known)
}

/**
 * What is known to an environment that not all providers may answer: the newest copy that one of them gave. One that all of them
 * have denied since is none, and neither is what others gave.
 */
async function knownOnRoute(
  { store }: Pick<Deps, 'store'>,
  kind: Identifier['kind'],
  route: readonly string[],
  { record: newest, notFoundAt, denials, ...known }: Known,
): Promise<Known> {
  const mayServe = newest === null || isOnRoute(newest, route)
  const providers = mayFill(route)
  const copy = mayServe ? null : await store.readVersionBy({ entityId: newest.entityId, providers })
  const record = mayServe ? newest : copy && readyRecord(kind, copy)
  const denied = deniedAt(route, denials)
  if (denied === null || (record && record.fetchedAt >= denied)) return { ...known, record, notFoundAt }
  return { ...known, record: null, notFoundAt: Math.max(denied, notFoundAt ?? 0) }
}

/** The providers that may fill a record for those of a route. */
function mayFill(route: readonly string[]): string[] {
  return [...route, ownImport]
}

/** A version that is to be served, with what the providers of a route fill; null once it was erased. */
export async function readOnRoute(
  { store }: { store: Pick<Deps['store'], 'readVersion'> },
  kind: Identifier['kind'],
  versionId: number,
  route: Route,
): Promise<ReadyRecord | null> {
  const copy = await store.readVersion({ versionId, ...(route ? { providers: mayFill(route) } : {}) })
  return copy && readyRecord(kind, copy)
}

/**
 * Reads the store, or joins a read of the same that is under way. A read that began before a withdrawal or an erasure is
 * not joined, because later callers must not see what it may find; nor is any where changes elsewhere cannot reach us.
 */
export function recallTogether(deps: RecallDeps, identifier: Identifier): Promise<Known> {
  const { caching, generation } = deps.cache
  if (!caching) return recallStored(deps, identifier)
  const name = `${identifierKey(identifier)}@${generation}`
  return deps.recalls.join(name, () => recallStored(deps, identifier), null).result
}

/**
 * Reads the store, and keeps what it finds in the cache. Of a suppressed identifier nothing is found. A derived company
 * id that nothing is stored under stands for its page.
 */
export async function recallStored(deps: Omit<RecallDeps, 'recalls'>, identifier: Identifier): Promise<Known> {
  const generation = deps.cache.generation
  const hash = suppressionHash(deps.secret, identifier.kind, identifier)
  const ask = () => deps.store.readRecord({ identifier, suppressionHash: hash })
  const found = await inSpan('vitae.recall', { kind: identifier.kind }, ask)
  if (found.suppressed) return { record: null, notFoundAt: found.notFoundAt, suppressed: true }
  if (found.isUnfolded && found.copy) {
    await deps.store.foldEntity({ entityId: found.copy.entityId })
    return recallStored(deps, identifier)
  }
  const { denials = {}, notFoundAt } = found
  const whole = found.copy && readyRecord(identifier.kind, found.copy)
  // A provider that denies the record since then fills nothing.
  const record = whole && keepFills(whole, ({ provider, fetchedAt }) => !((denials[provider] ?? 0) > fetchedAt))
  // Under a name that somebody denies, not all are served the same.
  const isDenied = record && Object.values(denials).some((at) => at > record.fetchedAt)
  if (record && !isDenied && record === whole) deps.cache.set(identifierKey(identifier), record, generation)
  const page = record ? null : await pageOf(deps, identifier)
  return page ? recallStored(deps, page) : { record, notFoundAt, denials: found.denials }
}

/** The page that stood beside a derived company id in a person's record; null for every other identifier. */
export async function pageOf(
  { store }: { store: Pick<Deps['store'], 'companyPage'> },
  { kind, value }: Identifier,
): Promise<Identifier | null> {
  const slug = kind === 'companies' && isDerivedCompanyId(value) ? await store.companyPage({ id: value }) : null
  return slug === null ? null : { kind, type: 'slug', value: slug }
}

/** What is known to a call that makes demands: a copy that does not meet them is none. */
export function withDemands(lookup: Lookup, recalled: Known): Known {
  // Who is content with less than most may find someone where they did not.
  const isContent = (lookup.identifier.match?.minLikelihood ?? usualLikelihood) < usualLikelihood
  const known = isContent ? { ...recalled, notFoundAt: null } : recalled
  const { record } = known
  if (!record || (!lookup.require && !lookup.expect)) return known
  return lacksOf(record, lookup).length > 0 ? { ...known, record: null } : known
}

/** The same words for a record that upstream does not know and for one that is suppressed: the two must look alike. */
export function notFound(): Failure {
  return new Failure('not_found', { detail: 'No record is known under this identifier.' })
}

/** For callers who allow stored copies only, when none fits. */
export function notStored(): Failure {
  return new Failure('not_stored', { detail: 'Nothing stored fits the request, and it forbids asking the provider.' })
}

/** A stored version in the form that answers are sent from. */
export function readyRecord(kind: Identifier['kind'], copy: Omit<StoredCopy, 'key'>): ReadyRecord {
  const { entityId, versionId, fetchId, provider, fetchedAt, sourceUpdatedAt, thin, fold } = copy
  return {
    kind,
    entityId,
    versionId,
    fetchId,
    provider,
    // A store of before the gate may hold times that are none; headers are written from them after a payment.
    fetchedAt: isTime(fetchedAt) ? fetchedAt : 0,
    sourceUpdatedAt: isTime(sourceUpdatedAt) ? sourceUpdatedAt : null,
    thin,
    ...cutRecord(copy),
    ...(fold ? { fold: { ...fold, base: { ...cutRecord(fold.base), thin: fold.base.thin } } } : {}),
  }
}

function cutRecord({ body, parts }: Pick<StoredCopy, 'body' | 'parts'>): CutRecord {
  return {
    body: Buffer.from(body.buffer, body.byteOffset, body.byteLength),
    // Written by serialiseRecord.
    parts: parts === null ? {} : (JSON.parse(parts) as PartOffsets),
  }
}
