import { sql } from 'kysely'
import type { Kind } from '@vitae/contract'
import type { Connection } from '../../database/dialect.ts'
import { unpack } from '../../records/versions/compress.ts'
import { findMention } from './redact.ts'
import { mayMention, mentionTest } from './mentions.ts'
import type { SearchTerm } from './search-terms.ts'
import { readJson } from '../../records/body/exact-json.ts'

interface Scan {
  /** Only data about this kind of subject; both where none is given. */
  kind?: Kind
  searchTerms: SearchTerm[]
  limit: number
  /** Data about these alone is their own, and no mention. */
  exceptEntityIds: number[]
}

export interface PayloadScan {
  scanned: number
  hits: string[]
  /** Pass it as `afterHash` for the next chunk. */
  next: string
  done: boolean
}

export interface VersionScan {
  scanned: number
  hits: number[]
  next: number
  done: boolean
}

/** Looks through a chunk of the raw archive for payloads that mention a subject. Reads only, a chunk at a time. */
export async function scanMentions(
  { db }: Connection,
  { kind, searchTerms, afterHash, limit, exceptEntityIds }: Scan & { afterHash: string },
): Promise<PayloadScan> {
  const rows = await db
    .selectFrom('payloads')
    .select(['hash', 'bytes'])
    .where('hash', '>', afterHash)
    .where(
      sql<boolean>`exists (select 1 from fetches where payload_hash = payloads.hash ${kind ? sql`and kind = ${kind}` : sql``}
        and (entity_id is null or entity_id not in (${sql.join([...exceptEntityIds, -1])})))`,
    )
    .orderBy('hash')
    .limit(limit)
    .execute()
  const mentions = mentionedIn(searchTerms)
  const hits = rows.filter((row) => mentions(unpack(row.bytes))).map((row) => row.hash)
  return { scanned: rows.length, hits, next: rows.at(-1)?.hash ?? afterHash, done: rows.length < limit }
}

/** Looks through a chunk of the records, of entities other than those given. */
export async function scanVersionMentions(
  { db }: Connection,
  {
    kind,
    searchTerms,
    afterVersionId,
    limit,
    exceptEntityIds,
  }: Scan & { afterVersionId: number; exceptEntityIds: number[] },
): Promise<VersionScan> {
  const rows = await db
    .selectFrom('versions')
    .innerJoin('entities', 'entities.id', 'versions.entity_id')
    .select(['versions.id', 'versions.entity_id', 'versions.body', 'entities.kind'])
    .where('versions.id', '>', afterVersionId)
    .orderBy('versions.id')
    .limit(limit)
    .execute()
  const mentions = mentionedIn(searchTerms)
  const others = rows.filter((row) => !exceptEntityIds.includes(row.entity_id) && (!kind || row.kind === kind))
  const hits = others.filter((row) => mentions(unpack(row.body))).map((row) => row.id)
  return { scanned: rows.length, hits, next: rows.at(-1)?.id ?? afterVersionId, done: rows.length < limit }
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
