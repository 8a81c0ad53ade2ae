import { sql } from 'kysely'
import type { Database, Dialect } from '../../database/dialect.ts'
import { databaseTime } from '../../database/sql/database-time.ts'
import type { StoredBatch } from './submit-batch.ts'

interface Claim {
  node: string
  now: number
  leaseMs: number
  limit: number
  /** How many batches of one environment run at once, on all nodes. */
  ofAccount: number
}

/**
 * Takes batches that may run and that no living node runs: new ones, those whose pause is over, and those of dead nodes.
 * Environments take turns, however many batches one of them has. A lease that is not renewed ends by itself.
 */
export async function claimBatches({ db, dialect }: Database, claim: Claim): Promise<StoredBatch[]> {
  const { node, now, leaseMs } = claim
  const time = databaseTime(dialect)
  const taken: StoredBatch[] = []
  for (const { id } of await freeForClaim(db, dialect, claim)) {
    const batch = await db
      .updateTable('batches')
      .set({
        status: 'running',
        reason: null,
        resume_at: null,
        runner: node,
        lease_until: sql<number>`${time} + ${sql.lit(leaseMs)}`,
        started_at: sql<number>`coalesce(started_at, ${now})`,
        claimed_at: now,
        claimed_done: sql<number>`found + not_found + invalid + failed`,
      })
      .where('id', '=', id)
      .where('lease_until', '<', time)
      .where('status', 'in', ['queued', 'running', 'paused'])
      .returningAll()
      .executeTakeFirst()
    if (batch) taken.push(batch)
  }
  return taken
}

/** The oldest free batches of each environment; first those of environments that have the fewest running. */
async function freeForClaim(
  db: Database['db'],
  dialect: Dialect,
  { now, limit, ofAccount }: Claim,
): Promise<{ id: number }[]> {
  const time = databaseTime(dialect)
  const { rows } = await sql<{ id: number }>`
    select id from (
      select id, coalesce(running.count, 0) + row_number() over (partition by free.account_id order by id) as place
      from batches as free
      left join (
        select account_id, count(*) as count from batches
        where status = 'running' and lease_until >= ${time} group by account_id
      ) as running on running.account_id = free.account_id
      where (status in ('queued', 'running') or (status = 'paused' and resume_at <= ${now})) and lease_until < ${time}
    ) as placed where place <= ${ofAccount} order by place, id limit ${limit}`.execute(db)
  return rows
}

/** Keeps the leases of this node, and says which of its batches it still has to run. */
export async function renewBatches(
  { db, dialect }: Database,
  { node, ids, leaseMs }: { node: string; ids: number[]; leaseMs: number },
): Promise<number[]> {
  const rows = await db
    .updateTable('batches')
    .set({ lease_until: sql<number>`${databaseTime(dialect)} + ${sql.lit(leaseMs)}` })
    .where('id', 'in', [...ids, -1])
    .where('runner', '=', node)
    .where('status', '=', 'running')
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** The embedded engine belongs to one process: what a dead one ran is free, and what it was being sent is given up. */
export async function freeBatches({ db }: Database, _args: null): Promise<void> {
  await db.updateTable('batches').set({ lease_until: 0 }).where('lease_until', '>', 0).execute()
  await db.updateTable('batches').set({ expires_at: 0 }).where('status', '=', 'uploading').execute()
}
