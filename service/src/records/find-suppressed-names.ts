import { identifierKey, readIdentifierKey, type KindAlias } from '../foundation/identifier.ts'
import { sql } from 'kysely'
import type { Kind } from '@vitae/contract'
import type { Connection } from '../database/engine/dialect.ts'
import { candidateNames } from './suppression/candidate-names.ts'
import { readAliasText } from './identifiers/alias.ts'
import { unpack } from '../database/packing/pack.ts'
import { readJson } from './body/exact-json.ts'
import { suppressionHash } from './suppression/suppression-hash.ts'
import { suppressedAmong } from './suppression/suppressions.ts'
import { readNames } from './contact-index/contact-rows.ts'

/** The places to search for names that belong to no entity. */
export const nameSources = ['aliases', 'fetches', 'calls', 'payloads', 'versions', 'watches', 'batches'] as const
export type NameSource = (typeof nameSources)[number]

export interface NamesFound {
  found: KindAlias[]
  /** Pass it as `after` for the next chunk; null at the end. */
  next: string | null
}

interface Page {
  names: KindAlias[]
  next: string | null
}

const readers: Record<NameSource, (db: Connection['db'], after: string, limit: number) => Promise<Page>> = {
  aliases: looseAliases,
  fetches: looseFetches,
  calls: namesInCalls,
  payloads: namesInPayloads,
  versions: namesInVersions,
  watches: namesWatched,
  batches: namesInBatches,
}

/** The names in a chunk of the store that are on the suppression list although no entity holds them. */
export async function findSuppressedNames(
  { db, dialect }: Connection,
  { secret, source, after, limit }: { secret: string; source: NameSource; after: string; limit: number },
): Promise<NamesFound> {
  const { names, next } = await readers[source](db, after, limit)
  const hashed = new Map(names.map((name) => [suppressionHash(secret, name.kind, name), name]))
  const listed = await suppressedAmong(db, dialect, [...hashed.keys()])
  return { found: [...hashed].filter(([hash]) => listed.has(hash)).map(([, name]) => name), next }
}

/** Remembered misses. */
async function looseAliases(db: Connection['db'], after: string, limit: number): Promise<Page> {
  const { kind, type, value } = readIdentifierKey(after)
  const names = await db
    .selectFrom('aliases')
    .select(['kind', 'type', 'value'])
    .where('entity_id', 'is', null)
    .where(sql<boolean>`(kind, type, value) > (${kind}, ${type}, ${value})`)
    .orderBy('kind')
    .orderBy('type')
    .orderBy('value')
    .limit(limit)
    .execute()
  const last = names.at(-1)
  return { names, next: last && names.length === limit ? identifierKey(last) : null }
}

/** Identifiers that were requested. */
async function looseFetches(db: Connection['db'], after: string, limit: number): Promise<Page> {
  const rows = await db
    .selectFrom('fetches')
    .select(['id', 'kind', 'identifier'])
    .where('id', '>', Number(after))
    .orderBy('id')
    .limit(limit)
    .execute()
  return { names: namesAsked(rows), next: rows.length === limit ? String(rows.at(-1)?.id) : null }
}

/** Identifiers of failed calls and of calls that asked a provider. */
async function namesInCalls(db: Connection['db'], after: string, limit: number): Promise<Page> {
  const rows = await db
    .selectFrom('call_details')
    .select(['request_id', 'kind', 'identifier'])
    .where('request_id', '>', after)
    .orderBy('request_id')
    .limit(limit)
    .execute()
  return { names: namesAsked(rows), next: rows.length === limit ? (rows.at(-1)?.request_id ?? null) : null }
}

function namesAsked(rows: readonly { kind: Kind; identifier: string | null }[]): KindAlias[] {
  return rows.flatMap(({ kind, identifier }) => {
    const alias = readAliasText(identifier)
    return alias ? [{ kind, ...alias }] : []
  })
}

async function namesInPayloads(db: Connection['db'], after: string, limit: number): Promise<Page> {
  const rows = await db
    .selectFrom('payloads')
    .select(['hash', 'bytes'])
    .select((of) =>
      of
        .selectFrom('fetches')
        .select('provider')
        .whereRef('payload_hash', '=', 'payloads.hash')
        .limit(1)
        .as('provider'),
    )
    .where('hash', '>', after)
    .orderBy('hash')
    .limit(limit)
    .execute()
  const names = rows.flatMap((row) => candidateNames(readJson(unpack(row.bytes)), row.provider ?? ''))
  return { names, next: rows.length === limit ? (rows.at(-1)?.hash ?? null) : null }
}

async function namesInVersions(db: Connection['db'], after: string, limit: number): Promise<Page> {
  const rows = await db
    .selectFrom('versions')
    .select(['id', 'body', 'provider'])
    .where('id', '>', Number(after))
    .orderBy('id')
    .limit(limit)
    .execute()
  const names = rows.flatMap((row) => candidateNames(readJson(unpack(row.body)), row.provider))
  return { names, next: rows.length === limit ? String(rows.at(-1)?.id) : null }
}

async function namesWatched(db: Connection['db'], after: string, limit: number): Promise<Page> {
  const names = await db
    .selectFrom('watches')
    .select(['id', 'kind', 'type', 'value'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return { names, next: names.length === limit ? (names.at(-1)?.id ?? null) : null }
}

async function namesInBatches(db: Connection['db'], after: string, limit: number): Promise<Page> {
  const [batchId = 0, number = 0] = after.split(' ').map(Number)
  const rows = await db
    .selectFrom('batch_rows')
    .innerJoin('batches', 'batches.id', 'batch_rows.batch_id')
    .select(['batch_id', 'number', 'input', 'names', 'kind'])
    .where(sql<boolean>`(batch_id, number) > (${batchId}, ${number})`)
    .orderBy('batch_id')
    .orderBy('number')
    .limit(limit)
    .execute()
  const last = rows.at(-1)
  const next = last && rows.length === limit ? `${last.batch_id} ${last.number}` : null
  const names = rows.flatMap(({ input, names: hashed, kind }) => [
    ...candidateNames(input, ''),
    ...readNames(hashed).map((name) => ({ kind, ...name })),
  ])
  return { names, next }
}

interface SuppressedFound {
  found: { entityId: number; kind: Kind; key: string }[]
  /** Pass it as `afterEntityId` for the next chunk. */
  next: number
  done: boolean
}

/**
 * The entities of a chunk that are on the suppression list under any name: a restored backup may contain erased ones.
 */
export async function findSuppressed(
  { db, dialect }: Connection,
  { secret, afterEntityId, limit }: { secret: string; afterEntityId: number; limit: number },
): Promise<SuppressedFound> {
  const page = await db
    .selectFrom('entities')
    .select(['id', 'kind', 'key'])
    .where('id', '>', afterEntityId)
    .orderBy('id')
    .limit(limit)
    .execute()
  const last = page.at(-1)?.id
  if (last === undefined) return { found: [], next: afterEntityId, done: true }
  const aliases = await db
    .selectFrom('aliases')
    .select(['entity_id', 'kind', 'type', 'value'])
    .where('entity_id', '>', afterEntityId)
    .where('entity_id', '<=', last)
    .execute()
  const hashed = aliases.map((row) => ({ ...row, hash: suppressionHash(secret, row.kind, row) }))
  const listed = await suppressedAmong(
    db,
    dialect,
    hashed.map((row) => row.hash),
  )
  const hits = new Set(hashed.filter((row) => listed.has(row.hash)).map((row) => row.entity_id))
  const found = page.filter(({ id }) => hits.has(id)).map(({ id: entityId, kind, key }) => ({ entityId, kind, key }))
  return { found, next: last, done: page.length < limit }
}
