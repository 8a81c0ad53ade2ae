import type { Kind } from '@vitae/contract'
import type { Connection, Database, Tx } from '../../../database/dialect.ts'
import { unpack } from '../../../records/versions/compress.ts'
import { inChunks } from '../../../records/in-chunks.ts'
import { findMention } from './redact.ts'
import { mayMention, mentionTest } from './mentions.ts'
import { mentionSearch, type MentionSearch } from './mention-search.ts'
import type { SearchTerm } from './search-terms.ts'
import { readJson } from '../../../records/body/exact-json.ts'

export interface MentionScan {
  /** Of all subjects: one scan finds the mentions of each. */
  searchTerms: SearchTerm[]
  /** Data about these alone is their own, and no mention. */
  exceptEntityIds: number[]
  /** The last fetch that was looked at. */
  after: number
  /** How many fetches to look at. */
  limit: number
}

/** A body of others that mentions a subject, and the terms that may stand in it. */
export type MentionHit = { searchTerms: SearchTerm[] } & ({ hash: string } | { versionId: number })

export interface MentionsFound {
  scanned: number
  hits: MentionHit[]
  /** Pass it as `after` for the next chunk; null at the end. */
  next: number | null
}

const [rowsPerStep, bodiesPerStep] = [2_000, 50]

/**
 * Looks through a chunk of what providers answered, raw and as records, for mentions. The prints of a fetch tell whether it has to be
 * read. Reads only, in steps that let others through.
 */
export async function scanMentions(database: Database, scan: MentionScan): Promise<MentionsFound> {
  const search = mentionSearch(scan.searchTerms)
  const except = new Set(scan.exceptEntityIds)
  const found: MentionsFound = { scanned: 0, hits: [], next: scan.after }
  while (found.next !== null && found.scanned < scan.limit) {
    const after = found.next
    const page = await database.read(({ db }) => pageOf(db, after))
    const others = page.filter(({ entityId }) => entityId === null || !except.has(entityId))
    const unread = others.filter(({ kind, prints }) => prints === null || search.mayBeIn(kind, prints))
    for (const fetches of inChunks(unread, bodiesPerStep))
      found.hits.push(...(await database.read(({ db }) => lookInto(db, fetches, search))))
    found.scanned += page.length
    found.next = page.length < rowsPerStep ? null : (page.at(-1)?.id ?? null)
  }
  if (found.next === null) found.hits.push(...(await scanLooseVersions(database, search, except)))
  return found
}

interface Fetch {
  id: number
  kind: Kind
  entityId: number | null
  hash: string | null
  /** Null where they are not noted yet. */
  prints: Uint8Array | null
}

function pageOf(db: Tx, after: number): Promise<Fetch[]> {
  return db
    .selectFrom('fetches')
    .leftJoin('mentions', 'mentions.fetch_id', 'fetches.id')
    .select(['fetches.id', 'kind', 'entity_id as entityId', 'payload_hash as hash', 'prints'])
    .where('fetches.id', '>', after)
    .orderBy('fetches.id')
    .limit(rowsPerStep)
    .execute()
}

async function lookInto(db: Tx, fetches: readonly Fetch[], search: MentionSearch): Promise<MentionHit[]> {
  const kinds = new Map(fetches.map(({ id, kind }) => [id, kind]))
  const kindsByHash = new Map(fetches.flatMap(({ hash, kind }) => (hash === null ? [] : [[hash, kind] as const])))
  const payloads = await db
    .selectFrom('payloads')
    .select(['hash', 'bytes'])
    .where('hash', 'in', [...kindsByHash.keys(), ''])
    .execute()
  const versions = await db
    .selectFrom('versions')
    .select(['id', 'fetch_id', 'body'])
    .where('fetch_id', 'in', [...kinds.keys()])
    .execute()
  return [
    ...payloads.flatMap(({ hash, bytes }) =>
      mentionsIn(search, kindsByHash.get(hash) ?? 'people', bytes).map((searchTerms) => ({ hash, searchTerms })),
    ),
    ...versions.flatMap(({ id: versionId, fetch_id: fetchId, body }) =>
      mentionsIn(search, kinds.get(fetchId ?? 0) ?? 'people', body).map((searchTerms) => ({ versionId, searchTerms })),
    ),
  ]
}

/** Versions that no fetch brought; there should be none. */
async function scanLooseVersions(
  database: Database,
  search: MentionSearch,
  except: ReadonlySet<number>,
): Promise<MentionHit[]> {
  const hits: MentionHit[] = []
  for (let after = 0, count = bodiesPerStep; count === bodiesPerStep;) {
    const page = await database.read(({ db }) => looseVersions(db, after))
    for (const { id: versionId, entity_id: entityId, kind, body } of page) {
      if (except.has(entityId)) continue
      hits.push(...mentionsIn(search, kind, body).map((searchTerms) => ({ versionId, searchTerms })))
    }
    count = page.length
    after = page.at(-1)?.id ?? after
  }
  return hits
}

function looseVersions(db: Connection['db'], after: number) {
  return db
    .selectFrom('versions')
    .innerJoin('entities', 'entities.id', 'versions.entity_id')
    .select(['versions.id', 'versions.entity_id', 'versions.body', 'entities.kind'])
    .where('versions.fetch_id', 'is', null)
    .where('versions.id', '>', after)
    .orderBy('versions.id')
    .limit(bodiesPerStep)
    .execute()
}

/** The terms of a stored body in a list of one, or nothing where it mentions nobody. */
function mentionsIn(search: MentionSearch, kind: Kind, stored: Uint8Array): SearchTerm[][] {
  const body = unpack(stored)
  const searchTerms = search.termsIn(kind, body)
  return searchTerms.length > 0 && mentionedIn(searchTerms)(body) ? [searchTerms] : []
}

/** The test of a whole body: quick where nothing is found, exact where something may be. */
export function mentionedIn(searchTerms: readonly SearchTerm[]): (bytes: Uint8Array) => boolean {
  const maybe = mayMention(searchTerms)
  const test = mentionTest(searchTerms)
  return (bytes) => {
    if (!maybe(bytes)) return false
    const value = readJson(bytes)
    // What is no JSON cannot be looked into: a possible mention counts.
    return value === undefined || findMention(value, test) !== null
  }
}
