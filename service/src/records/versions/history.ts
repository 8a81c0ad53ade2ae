import { type Selectable, sql } from 'kysely'
import type { Kind } from '@vitae/contract'
import type { Connection, Tx } from '../../database/engine/dialect.ts'
import type { VersionRow } from '../../database/tables/records.ts'
import { unpack } from '../../database/packing/pack.ts'
import { findRef, type Ref } from '../identifiers/find-ref.ts'

/** A version without its record. */
export interface VersionFacts {
  versionId: number
  provider: string
  projection: number
  fetchId: number | null
  fetchedAt: number
  sourceUpdatedAt: number | null
  thin: boolean
}

export interface VersionSummary extends VersionFacts {
  /** Whether it is the served version. */
  current: boolean
}

export interface History {
  entityId: number
  kind: Kind
  key: string
  versions: VersionSummary[]
}

/** Every stored version of an entity, newest first; null if nothing is known. */
export async function history({ db }: Connection, { kind, ref }: { kind?: Kind; ref: Ref }): Promise<History | null> {
  const entity = await findRef(db, kind, ref)
  if (!entity) return null
  const rows = await db
    .selectFrom('versions')
    .select(['id', 'provider', 'projection', 'fetch_id', 'fetched_at', 'source_updated_at', 'thin'])
    .where('entity_id', '=', entity.id)
    .orderBy('fetched_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  const versions = rows.map((row) => ({ ...versionFacts(row), current: row.id === entity.version_id }))
  return { entityId: entity.id, kind: entity.kind, key: entity.key, versions }
}

/** Converts a row of `versions`. */
export function versionFacts(
  row: Omit<Selectable<VersionRow>, 'entity_id' | 'body' | 'parts' | 'unsaid' | 'units' | 'checksum'>,
): VersionFacts {
  return {
    versionId: row.id,
    provider: row.provider,
    projection: row.projection,
    fetchId: row.fetch_id,
    fetchedAt: row.fetched_at,
    sourceUpdatedAt: row.source_updated_at,
    thin: row.thin === 1,
  }
}

export interface VersionBody {
  versionId: number
  entityId: number
  kind: Kind
  provider: string
  thin: boolean
  fetchedAt: number
  body: Uint8Array
  unsaid: string | null
}

/** The record of one version; null once it is removed. */
export async function versionBody(
  { db }: Connection,
  { versionId }: { versionId: number },
): Promise<VersionBody | null> {
  const row = await db
    .selectFrom('versions')
    .innerJoin('entities', 'entities.id', 'versions.entity_id')
    .select([
      'versions.entity_id',
      'entities.kind',
      'versions.provider',
      'versions.thin',
      'versions.fetched_at',
      'versions.body',
      'versions.unsaid',
    ])
    .where('versions.id', '=', versionId)
    .executeTakeFirst()
  if (!row) return null
  return {
    versionId,
    entityId: row.entity_id,
    kind: row.kind,
    provider: row.provider,
    thin: row.thin === 1,
    fetchedAt: row.fetched_at,
    body: unpack(row.body),
    unsaid: row.unsaid,
  }
}

/** The bytes of a version's record; null if absent. */
export async function bodyOfVersion(tx: Tx, versionId: number | null): Promise<Uint8Array | null> {
  if (versionId === null) return null
  const row = await tx.selectFrom('versions').select('body').where('id', '=', versionId).executeTakeFirst()
  return row ? unpack(row.body) : null
}

/** The number of versions, for the progress of a long job. */
export async function countVersions(
  { db }: Connection,
  { provider, since }: { provider?: string; since?: number },
): Promise<number> {
  const row = await db
    .selectFrom('versions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .$if(provider !== undefined, (query) => query.where('provider', '=', provider ?? ''))
    .$if(since !== undefined, (query) => query.where('fetched_at', '>=', since ?? 0))
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

interface PaidVersions {
  entityId: number
  environmentId: number
  /** Only versions older than this one. */
  before: number | null
  limit: number
}

/**
 * The versions of a record that an environment was served with live keys, newest first. The key is null if the
 * environment was served none at all.
 */
export async function paidVersions(
  connection: Connection,
  { entityId, environmentId, before, limit }: PaidVersions,
): Promise<{ key: string | null; versions: VersionFacts[] }> {
  const rows = await connection.db
    .selectFrom('versions')
    .innerJoin('entities', 'entities.id', 'versions.entity_id')
    .innerJoin('paid_versions', 'paid_versions.version_id', 'versions.id')
    .select(['versions.id', 'versions.provider', 'projection', 'fetch_id', 'versions.fetched_at'])
    .select(['source_updated_at', 'versions.thin', 'entities.key'])
    .where('versions.entity_id', '=', entityId)
    .where('paid_versions.account_id', '=', environmentId)
    .$if(before !== null, (query) =>
      query.where(
        sql<boolean>`(versions.fetched_at, versions.id) <
          (select b.fetched_at, b.id from versions b where b.id = ${before} and b.entity_id = ${entityId})`,
      ),
    )
    .orderBy('versions.fetched_at', 'desc')
    .orderBy('versions.id', 'desc')
    .limit(limit)
    .execute()
  if (rows.length === 0 && before !== null) {
    const first = await paidVersions(connection, { entityId, environmentId, before: null, limit: 1 })
    return { ...first, versions: [] }
  }
  return { key: rows[0]?.key ?? null, versions: rows.map(versionFacts) }
}
