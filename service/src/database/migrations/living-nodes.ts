import { sql, type Kysely } from 'kysely'
import type { Tables } from '../tables/tables.ts'

const aliveWithin = '10 seconds'

interface LivingNode {
  /** Null at a version before migration 47; absent in a store before it. */
  notices?: string | null
}

/** The nodes that run on a PostgreSQL, of any version, by their heartbeats. */
export async function livingNodes(db: Kysely<Tables>): Promise<LivingNode[]> {
  const { rows } = await sql<LivingNode>`select * from nodes
    where seen_at > extract(epoch from clock_timestamp() - ${sql.lit(aliveWithin)}::interval) * 1000`.execute(db)
  return rows
}
