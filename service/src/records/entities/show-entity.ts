import type { Kind } from '@vitae/contract'
import type { Connection } from '../../database/engine/dialect.ts'
import { findRef, type Ref } from '../identifiers/find-ref.ts'
import { readVersion } from '../versions/read-record.ts'
import type { StoredCopy } from '../rows/stored-copy.ts'
import { recordInBody, recordName } from '../rows/search-texts.ts'

export interface AliasSummary {
  type: string
  value: string
  withdrawn: boolean
  notFoundAt: number | null
  seenAt: number
}

export interface FetchSummary {
  fetchId: number
  provider: string
  identifier: string | null
  at: number
  status: number | null
  outcome: string
  cost: number | null
  durationMs: number | null
  payloadHash: string | null
  redacted: boolean
  removed: string[]
}

export interface EntityDetails {
  entityId: number
  kind: Kind
  key: string
  derived: boolean
  name: string | null
  createdAt: number
  usedAt: number | null
  aliases: AliasSummary[]
  /** Names that have since moved to another entity. */
  formerAliases: { type: string; value: string; until: number }[]
  current: StoredCopy | null
  /** Newest first. */
  fetches: FetchSummary[]
}

const fetchesShown = 50

/** The operator's view of one entity; null if it is not in the store. */
export async function showEntity(
  database: Connection,
  { kind, ref }: { kind?: Kind; ref: Ref },
): Promise<EntityDetails | null> {
  const entity = await findRef(database.db, kind, ref)
  if (!entity) return null
  return {
    entityId: entity.id,
    kind: entity.kind,
    key: entity.key,
    derived: entity.derived === 1,
    name: entity.name,
    createdAt: entity.created_at,
    usedAt: entity.used_at,
    ...(await namesOf(database, entity.id)),
    current: entity.version_id === null ? null : await readVersion(database, { versionId: entity.version_id }),
    fetches: await fetchesOf(database, entity.id, fetchesShown),
  }
}

/** The current and former names of an entity. */
export async function namesOf(
  { db }: Connection,
  entityId: number,
): Promise<Pick<EntityDetails, 'aliases' | 'formerAliases'>> {
  const held = await db
    .selectFrom('aliases')
    .selectAll()
    .where('entity_id', '=', entityId)
    .orderBy('type')
    .orderBy('value')
    .execute()
  const formerAliases = await db
    .selectFrom('former_aliases')
    .select(['type', 'value', 'until'])
    .where('entity_id', '=', entityId)
    .orderBy('until')
    .execute()
  const aliases = held.map((row) => ({
    type: row.type,
    value: row.value,
    withdrawn: row.withdrawn === 1,
    notFoundAt: row.not_found_at,
    seenAt: row.seen_at,
  }))
  return { aliases, formerAliases }
}

/** The upstream calls about an entity, newest first. */
export async function fetchesOf({ db }: Connection, entityId: number, limit: number): Promise<FetchSummary[]> {
  const rows = await db
    .selectFrom('fetches')
    .selectAll()
    .where('entity_id', '=', entityId)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    fetchId: row.id,
    provider: row.provider,
    identifier: row.identifier,
    at: row.at,
    status: row.status,
    outcome: row.outcome,
    cost: row.cost,
    durationMs: row.duration_ms,
    payloadHash: row.payload_hash,
    redacted: row.redacted === 1,
    removed: row.removed?.split(',') ?? [],
  }))
}

/** The name and the key of a record. */
interface EntityName {
  entityId: number
  kind: Kind
  key: string
  name: string | null
}

/** The names of records by entity id, including merged ones. Erased records are missing. */
export async function entityNames({ db }: Connection, { ids }: { ids: number[] }): Promise<EntityName[]> {
  if (ids.length === 0) return []
  const merged = await db.selectFrom('merged_entities').selectAll().where('id', 'in', ids).execute()
  const survivors = new Map(merged.map(({ id, into_id }) => [id, into_id]))
  const rows = await db
    .selectFrom('entities')
    .leftJoin('versions', 'versions.id', 'entities.version_id')
    .select(['entities.id', 'entities.kind', 'entities.key', 'entities.name', 'versions.body'])
    .where('entities.id', 'in', [...new Set(ids.map((id) => survivors.get(id) ?? id))])
    .execute()
  const found = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((entityId) => {
    const row = found.get(survivors.get(entityId) ?? entityId)
    if (!row) return []
    const name = row.body ? recordName(recordInBody(row.body)) : row.name
    return [{ entityId, kind: row.kind, key: row.key, name }]
  })
}

/** All subjects under which the audit log may name a record: its own id, those merged into it, and its fetches. */
export async function auditSubjects({ db }: Connection, args: { kind: Kind; entityId: number }): Promise<string[]> {
  const { kind, entityId } = args
  const merged = await db.selectFrom('merged_entities').select('id').where('into_id', '=', entityId).execute()
  const ids = [entityId, ...merged.map(({ id }) => id)]
  const fetches = await db.selectFrom('fetches').select('id').where('entity_id', 'in', ids).limit(500).execute()
  return [...ids.map((id) => `${kind}/${id}`), ...fetches.map(({ id }) => `fetch/${id}`)]
}
