import { sql } from 'kysely'
import type { Connection } from '../../database/dialect.ts'
import { versionFacts, type VersionFacts } from './history.ts'

export interface PaidVersions {
  entityId: number
  accountId: number
  /** Only versions that are older than this one. */
  before: number | null
  limit: number
}

/**
 * The versions of a record that live keys of an environment were answered with, newest first: those of other environments are
 * not among them. The key is null where the environment has none at all, on whatever page.
 */
export async function paidVersions(
  connection: Connection,
  { entityId, accountId, before, limit }: PaidVersions,
): Promise<{ key: string | null; versions: VersionFacts[] }> {
  const rows = await connection.db
    .selectFrom('versions')
    .innerJoin('entities', 'entities.id', 'versions.entity_id')
    .innerJoin('paid_versions', 'paid_versions.version_id', 'versions.id')
    .select(['versions.id', 'versions.provider', 'projection', 'fetch_id', 'versions.fetched_at'])
    .select(['source_updated_at', 'versions.thin', 'entities.key'])
    .where('versions.entity_id', '=', entityId)
    .where('paid_versions.account_id', '=', accountId)
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
    const first = await paidVersions(connection, { entityId, accountId, before: null, limit: 1 })
    return { ...first, versions: [] }
  }
  return { key: rows[0]?.key ?? null, versions: rows.map(versionFacts) }
}
