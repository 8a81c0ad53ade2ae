import type { RecordStore } from '../../records/operations.ts'
import { isTime } from '@vitae/provider'
import { identifierKey, isDerivedCompanyId, type Identifier } from '../../foundation/identifier.ts'
import { Failure } from '../../foundation/failure.ts'
import { deniedAt, ownImport, type Denials, type Route, mayUse } from '../../foundation/environments/route.ts'
import { inSpan } from '../../foundation/tracing.ts'
import { suppressionHash } from '../../records/suppression/suppression-hash.ts'
import type { StoredCopy } from '../../records/rows/stored-copy.ts'
import { readParts, type CutRecord } from '../../records/body/record-bytes.ts'
import { isOnRoute, keepFills } from './applicable-fills.ts'
import { lacksOf, usualLikelihood } from './demands.ts'
import type { Lookup } from '../asked/lookup.ts'
import type { SingleFlight } from '../../foundation/pacing/single-flight.ts'
import type { ReadyRecord, RecordCache } from './record-cache.ts'
import type { Person, CompanyCandidate } from '@vitae/contract'
import type { Expected } from '../asked/expectations.ts'
import { siteDomain, type SiteDomain } from '../../records/identifiers/site-domain.ts'

/** The stored knowledge about an identifier, before a provider is asked. */
export interface Known {
  record: ReadyRecord | null
  notFoundAt: number | null
  /** Treated like an unknown identifier: no provider is asked. */
  suppressed?: true
  /** The providers that denied the record while others were not asked. */
  denials?: Denials | undefined
}

interface RecallDeps {
  cache: RecordCache
  secret: string
  store: { records: Pick<RecordStore, 'readRecord' | 'foldEntity' | 'companyPage'> }
  /** Store reads in progress. */
  recalls: SingleFlight<Known>
}

interface Deps extends RecallDeps {
  store: RecallDeps['store'] & { records: Pick<RecordStore, 'readVersion'> }
}

/** Reads the cache only. A cached record is never suppressed or denied: an erasure or a denial removes it. */
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

/** Reads the store and returns only what the route allows. `onlyFacts`: nobody reads the record's body. */
export async function recallOnRoute(
  deps: Deps,
  identifier: Identifier,
  route: Route,
  onlyFacts = false,
): Promise<Known> {
  const known = await (onlyFacts ? recallStored(deps, identifier, true) : recallTogether(deps, identifier))
  return route === null ? known : knownOnRoute(deps, identifier.kind, route, known)
}

/**
 * The view of an environment with a restricted route: the newest copy from one of its providers, unless all of them
 * have denied it since.
 */
async function knownOnRoute(
  { store }: Pick<Deps, 'store'>,
  kind: Identifier['kind'],
  route: readonly string[],
  { record: newest, notFoundAt, denials, ...known }: Known,
): Promise<Known> {
  const mayServe = newest === null || isOnRoute(newest, route)
  const providers = mayFill(route)
  const copy = mayServe ? null : await store.records.readVersion({ entityId: newest.entityId, providers })
  const record = mayServe ? newest : copy && readyRecord(kind, copy)
  const denied = deniedAt(route, denials)
  if (denied === null || (record && record.fetchedAt >= denied)) return { ...known, record, notFoundAt }
  return { ...known, record: null, notFoundAt: Math.max(denied, notFoundAt ?? 0) }
}

/** The providers that may fill a record for a route: its own and imported data. */
function mayFill(route: readonly string[]): string[] {
  return [...route, ownImport]
}

/** A version with the fills that a route allows; null once it is erased. */
export async function readOnRoute(
  { store }: { store: { records: Pick<RecordStore, 'readVersion'> } },
  kind: Identifier['kind'],
  versionId: number,
  route: Route,
): Promise<ReadyRecord | null> {
  const copy = await store.records.readVersion({ versionId, ...(route ? { providers: mayFill(route) } : {}) })
  return copy && readyRecord(kind, copy)
}

/**
 * Reads the store, or joins an identical read in progress. A read that began before a withdrawal or erasure is never
 * joined, because it may find what later callers must not see. Nothing is joined while changes on other nodes cannot
 * reach this process.
 */
export function recallTogether(deps: RecallDeps, identifier: Identifier): Promise<Known> {
  const { caching, generation } = deps.cache
  if (!caching) return recallStored(deps, identifier)
  const name = `${identifierKey(identifier)}@${generation}`
  return deps.recalls.join(name, () => recallStored(deps, identifier), null).result
}

/**
 * Reads the store and caches the result, unless only its facts are wanted. A suppressed identifier finds nothing. A
 * derived company id without a record resolves to its page.
 */
export async function recallStored(
  deps: Omit<RecallDeps, 'recalls'>,
  identifier: Identifier,
  onlyFacts = false,
): Promise<Known> {
  const generation = deps.cache.generation
  const hash = suppressionHash(deps.secret, identifier.kind, identifier)
  const ask = () => deps.store.records.readRecord({ identifier, suppressionHash: hash, onlyFacts })
  const found = await inSpan('vitae.recall', { kind: identifier.kind }, ask)
  if (found.suppressed) return { record: null, notFoundAt: found.notFoundAt, suppressed: true }
  if (found.isUnfolded && found.copy) {
    await deps.store.records.foldEntity({ entityId: found.copy.entityId })
    return recallStored(deps, identifier, onlyFacts)
  }
  const { denials = {}, notFoundAt } = found
  const whole = found.copy && readyRecord(identifier.kind, found.copy)
  // A provider that denied the record after a fill was fetched no longer fills it.
  const record = whole && keepFills(whole, ({ provider, fetchedAt }) => !((denials[provider] ?? 0) > fetchedAt))
  // A record that some provider denies is not cached, because not all callers are served the same.
  const isDenied = record && Object.values(denials).some((at) => at > record.fetchedAt)
  if (record && !isDenied && record === whole && !onlyFacts)
    deps.cache.set(identifierKey(identifier), record, generation)
  const page = record ? null : await pageOf(deps, identifier)
  return page ? recallStored(deps, page, onlyFacts) : { record, notFoundAt, denials: found.denials }
}

/** The page that was stored beside a derived company id in a person's record; null for every other identifier. */
export async function pageOf(
  { store }: { store: { records: Pick<RecordStore, 'companyPage'> } },
  { kind, value }: Identifier,
): Promise<Identifier | null> {
  const slug = kind === 'companies' && isDerivedCompanyId(value) ? await store.records.companyPage({ id: value }) : null
  return slug === null ? null : { kind, type: 'slug', value: slug }
}

/** The known state for a call with demands: a copy that does not meet them is ignored. */
export function withDemands(lookup: Lookup, recalled: Known): Known {
  // A lower min_likelihood may match where the default did not, so ignore the remembered miss.
  const isContent = (lookup.identifier.match?.minLikelihood ?? usualLikelihood) < usualLikelihood
  const known = isContent ? { ...recalled, notFoundAt: null } : recalled
  const { record } = known
  if (!record || (!lookup.require && !lookup.expect)) return known
  return lacksOf(record, lookup).length > 0 ? { ...known, record: null } : known
}

/** The same message for unknown and suppressed records: callers must not be able to tell them apart. */
export function notFound(): Failure {
  return new Failure('not_found', { detail: 'No record is known under this identifier.' })
}

/** The failure for callers that allow stored copies only, if no copy fits. */
export function notStored(): Failure {
  return new Failure('not_stored', {
    detail: 'No stored copy fits the request, and the request forbids asking a provider.',
  })
}

/** A stored version in the form from which answers are sent. */
export function readyRecord(kind: Identifier['kind'], copy: StoredCopy): ReadyRecord {
  const { entityId, key, versionId, fetchId, provider, fetchedAt, sourceUpdatedAt, thin, fold } = copy
  return {
    kind,
    entityId,
    key,
    versionId,
    fetchId,
    provider,
    // Stores from before times were validated may hold invalid ones, and response headers are written from them after
    // payment.
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
    parts: parts === null ? {} : readParts(parts, body),
  }
}

type SiteDeps = Omit<RecallDeps, 'recalls'>

const employersAtMost = 10

/** Whether the call depends on the sites of a person's employers and they have not been read yet. */
export function needsSites(expect: Expected | null | undefined, record: ReadyRecord | null): record is ReadyRecord {
  return expect?.company_domain !== undefined && record?.kind === 'people' && !record.sites
}

/** Adds the sites of a person's employers, if their own records are stored and may be used. */
export async function withSites(
  deps: SiteDeps,
  route: Route,
  expect: Expected | null | undefined,
  record: ReadyRecord,
): Promise<ReadyRecord> {
  if (!needsSites(expect, record)) return record
  // Written by serialiseRecord.
  const { experience } = JSON.parse(record.body.toString()) as Pick<Person, 'experience'>
  const own = record.fold ? (JSON.parse(record.fold.base.body.toString()) as Pick<Person, 'experience'>).experience : []
  const ids = [...new Set([...own, ...experience].flatMap(({ company_id: id }) => id ?? []))].slice(0, employersAtMost)
  const sites = await Promise.all(ids.map(async (id) => [id, await siteOf(deps, route, id)] as const))
  return { ...record, sites: new Map(sites.flatMap(([id, site]) => (site === null ? [] : [[id, site]]))) }
}

async function siteOf(deps: SiteDeps, route: Route, id: string): Promise<string | null> {
  const identifier: Identifier = { kind: 'companies', type: 'id', value: id }
  const { record } = recallHot(deps, identifierKey(identifier), route) ?? (await recallStored(deps, identifier))
  return record && mayUse(route, record.provider) ? (companyIn(record.body).own?.domain ?? null) : null
}

/** A company's names and site, read from its record. */
export function companyIn(body: Uint8Array): {
  own: SiteDomain | null
  facts: Pick<CompanyCandidate, 'company_id' | 'public_identifier' | 'name'>
} {
  // Written by serialiseRecord.
  const company = JSON.parse(Buffer.from(body).toString()) as Record<string, string | null>
  const { company_id = null, public_identifier = null, company_name: name = null, company_url: url } = company
  return { own: url ? siteDomain(url) : null, facts: { company_id, public_identifier, name } }
}
