import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Kind } from '@vitae/contract'
import type { Connection, Dialect, Tx } from '../../../../database/engine/dialect.ts'
import { unpack } from '../../../../database/packing/pack.ts'
import { inChunks } from '../../../../database/sql/prepared.ts'
import { findMention } from './redact.ts'
import { mayMention, mentionTest } from './mentions.ts'
import { mentionSearch, type MentionSearch } from './mention-search.ts'
import type { SearchTerm } from './search-terms.ts'
import { readJson } from '../../../../records/body/exact-json.ts'

export interface MentionScan {
  /** The terms of all subjects: one scan finds the mentions of each. */
  searchTerms: SearchTerm[]
  /** Data about these entities is their own and does not count as a mention. */
  exceptEntityIds: number[]
  /** The last fetch that was scanned. */
  after: number
  /** The number of fetches to scan. */
  limit: number
}

/** A body of others that mentions a subject, and the terms that may occur in it. */
export type MentionHit = { searchTerms: SearchTerm[] } & ({ hash: string } | { versionId: number })

export interface MentionsFound {
  scanned: number
  hits: MentionHit[]
  /** Pass it as `after` for the next chunk; null at the end. */
  next: number | null
}

const [rowsPerStep, bodiesPerStep] = [2_000, 50]

/**
 * Scans a chunk of provider answers, raw and as records, for mentions. The prints of a fetch show whether it must be
 * read.
 */
export async function scanMentions(connection: Connection, scan: MentionScan): Promise<MentionsFound> {
  const { db } = connection
  const search = mentionSearch(scan.searchTerms)
  const except = new Set(scan.exceptEntityIds)
  const found: MentionsFound = { scanned: 0, hits: [], next: scan.after }
  while (found.next !== null && found.scanned < scan.limit) {
    const after = found.next
    const { unread, next } = await unreadAfter(connection, after, search)
    for (const fetchIds of inChunks(unread, bodiesPerStep))
      found.hits.push(...(await lookInto(db, fetchIds, search, except)))
    found.scanned += rowsPerStep
    found.next = next
    if (next !== null) await connection.rest?.()
  }
  if (found.next === null) found.hits.push(...(await scanLooseVersions(db, search, except)))
  return found
}

/** The next fetches that must be read: they may mention a subject, or have no prints. */
async function unreadAfter(
  { db, dialect }: Connection,
  after: number,
  search: MentionSearch,
): Promise<{ unread: number[]; next: number | null }> {
  const page = db.selectFrom('fetches').select('id').where('id', '>', after).orderBy('id').limit(rowsPerStep).as('page')
  const end = await db
    .selectFrom(page)
    .select((eb) => [eb.fn.max('id').as('last'), eb.fn.countAll<number>().as('count')])
    .executeTakeFirst()
  if (!end || end.last === null) return { unread: [], next: null }
  const last = Number(end.last)
  const isInPage = (column: string) => sql<boolean>`(${sql.ref(column)} > ${after} and ${sql.ref(column)} <= ${last})`
  const noted = await db
    .selectFrom('mentions')
    .select(['fetch_id', 'prints'])
    .where(isInPage('fetch_id'))
    .where(mayContain(dialect, search))
    .execute()
  const unnoted = await db
    .selectFrom('fetches')
    .select(['id', 'payload_hash'])
    .where(isInPage('id'))
    // With the page on both sides, PostgreSQL does not read the whole table of mentions.
    .where(
      sql<boolean>`not exists (select 1 from mentions where fetch_id = fetches.id and ${isInPage('mentions.fetch_id')})`,
    )
    .execute()
  const withPayload = unnoted.filter((row) => row.payload_hash !== null).map(({ id }) => id)
  const withoutPayload = unnoted.filter((row) => row.payload_hash === null).map(({ id }) => id)
  const withVersion = await db
    .selectFrom('versions')
    .select('fetch_id')
    .distinct()
    .where(dialect.isAmong('fetch_id', 'bigint', withoutPayload))
    .execute()
  const maybe = noted.filter(({ prints }) => search.mayBeIn(prints)).map((row) => row.fetch_id)
  const unread = [...maybe, ...withPayload, ...withVersion.flatMap((row) => row.fetch_id ?? [])]
  return { unread, next: Number(end.count) < rowsPerStep ? null : last }
}

/** Whether prints may contain a searched one: the engine sends few rows. Too many names have a single byte. */
function mayContain(dialect: Dialect, { prints }: MentionSearch): RawBuilder<SqlBool> {
  if (prints === null) return sql`true`
  return sql`(${sql.join(
    prints.map((print) => dialect.containsBytes('prints', print)),
    sql` or `,
  )} or length(prints) = 1)`
}

async function lookInto(
  db: Tx,
  fetchIds: readonly number[],
  search: MentionSearch,
  except: ReadonlySet<number>,
): Promise<MentionHit[]> {
  const all = await db
    .selectFrom('fetches')
    .select(['id', 'kind', 'entity_id', 'payload_hash'])
    .where('id', 'in', fetchIds)
    .execute()
  const fetches = all.filter(({ entity_id: entityId }) => entityId === null || !except.has(entityId))
  if (fetches.length === 0) return []
  const kinds = new Map(fetches.map(({ id, kind }) => [id, kind]))
  const kindsByHash = new Map(fetches.map(({ payload_hash: hash, kind }) => [hash ?? '', kind]))
  const payloads = await db
    .selectFrom('payloads')
    .select(['hash', 'bytes'])
    .where('hash', 'in', [...kindsByHash.keys()])
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

/** Versions without a fetch; there should be none. */
async function scanLooseVersions(db: Tx, search: MentionSearch, except: ReadonlySet<number>): Promise<MentionHit[]> {
  const hits: MentionHit[] = []
  for (let after = 0, count = bodiesPerStep; count === bodiesPerStep;) {
    const page = await looseVersions(db, after)
    for (const { id: versionId, entity_id: entityId, kind, body } of page) {
      if (except.has(entityId)) continue
      hits.push(...mentionsIn(search, kind, body).map((searchTerms) => ({ versionId, searchTerms })))
    }
    count = page.length
    after = page.at(-1)?.id ?? after
  }
  return hits
}

function looseVersions(db: Tx, after: number) {
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

/** The terms of a stored body in a list of one; empty if it mentions nobody. */
function mentionsIn(search: MentionSearch, kind: Kind, stored: Uint8Array): SearchTerm[][] {
  const body = unpack(stored)
  const searchTerms = search.termsIn(kind, body)
  return searchTerms.length > 0 && mentionedIn(searchTerms)(body) ? [searchTerms] : []
}

/** Tests a whole body: quick if nothing is found, exact if something may be. */
export function mentionedIn(searchTerms: readonly SearchTerm[]): (bytes: Uint8Array) => boolean {
  const maybe = mayMention(searchTerms)
  const test = mentionTest(searchTerms)
  return (bytes) => {
    if (!maybe(bytes)) return false
    const value = readJson(bytes)
    // A body that is not JSON cannot be searched by field, so a possible mention counts.
    return value === undefined || findMention(value, test) !== null
  }
}
