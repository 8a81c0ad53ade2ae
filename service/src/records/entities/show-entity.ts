import type { Kind } from '@vitae/contract'
import type { Connection } from '../../database/dialect.ts'
import { findRef, type Ref } from '../identifiers/find-ref.ts'
import { readVersion } from '../versions/read-record.ts'
import type { StoredCopy } from '../versions/stored-copy.ts'

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
  /** Names that have moved to someone else since. */
  formerAliases: { type: string; value: string; until: number }[]
  current: StoredCopy | null
  /** Newest first. */
  fetches: FetchSummary[]
}

const fetchesShown = 50

/** What an operator sees of one entity; null where the store has none. */
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

/** The names an entity holds, and those it held. */
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
  }))
}
