import type { Kind } from '@vitae/contract'
import type { Connection } from '../../database/dialect.ts'
import { recordInBody, recordName } from './search-texts.ts'

/** How people know a record: its name, and the key by which it is shown. */
export interface EntityName {
  entityId: number
  kind: Kind
  key: string
  name: string | null
}

/** The names of records by the numbers of their rows, also of those that were merged since. The erased have none. */
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

/** Everything under which the audit log may name a record: its own number, those merged into it, and its fetches. */
export async function auditSubjects({ db }: Connection, args: { kind: Kind; entityId: number }): Promise<string[]> {
  const { kind, entityId } = args
  const merged = await db.selectFrom('merged_entities').select('id').where('into_id', '=', entityId).execute()
  const ids = [entityId, ...merged.map(({ id }) => id)]
  const fetches = await db.selectFrom('fetches').select('id').where('entity_id', 'in', ids).limit(500).execute()
  return [...ids.map((id) => `${kind}/${id}`), ...fetches.map(({ id }) => `fetch/${id}`)]
}
