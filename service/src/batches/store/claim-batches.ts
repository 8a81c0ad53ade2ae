import { sql } from 'kysely'
import type { Connection, Database, Dialect, Tx } from '../../database/dialect.ts'
import { isWorkStopped } from '../../database/sql/stopped-work.ts'
import { lockEnvironments } from '../../database/sql/lock-environments.ts'
import type { StoredBatch } from './submit-batch.ts'
import { databaseTime } from '../../database/sql/expressions.ts'

interface Claim {
  node: string
  now: number
  leaseMs: number
  /** The longest pause: a later time was written by a wrong clock. */
  pauseAtMostMs: number
  limit: number
  /** The maximum number of concurrent batches of one environment, on all nodes. */
  ofEnvironment: number
  /** Batches with rows in progress from a lease that this node lost: it cannot continue them now. */
  except: readonly number[]
}

/**
 * Claims batches that no living node runs: new ones, those whose pause is over, and those of dead nodes. Environments
 * take turns, however many batches they have. A lease that is not renewed expires. Each lease has a higher fencing
 * number than the one before, so that work under an old one is recognised.
 */
export async function claimBatches(database: Database, claim: Claim): Promise<StoredBatch[]> {
  if (await database.read(({ db }) => isWorkStopped(db))) return []
  const taken: StoredBatch[] = []
  for (const free of await database.read(({ db, dialect }) => freeForClaim(db, dialect, claim))) {
    const batch = await database.write(async ({ db, dialect }) => {
      await lockEnvironments(db, dialect, [free.account_id])
      return claimOne(db, dialect, free.id, claim)
    })
    if (batch) taken.push(batch)
  }
  return taken
}

function claimOne(
  tx: Tx,
  dialect: Dialect,
  id: number,
  { node, now, leaseMs }: Claim,
): Promise<StoredBatch | undefined> {
  const time = databaseTime(dialect)
  return tx
    .updateTable('batches')
    .set({
      status: 'running',
      reason: null,
      resume_at: null,
      runner: node,
      lease: sql<number>`lease + 1`,
      lease_until: sql<number>`${time} + ${sql.lit(leaseMs)}`,
      started_at: sql<number>`coalesce(started_at, ${now})`,
      claimed_at: now,
      claimed_done: sql<number>`found + not_found + invalid + failed`,
    })
    .where('id', '=', id)
    .where(isFree(dialect, leaseMs))
    .where('status', 'in', ['queued', 'running', 'paused'])
    .returningAll()
    .executeTakeFirst()
}

/** A lease that ends later than possible was written before the database's clock was set back. */
function isFree(dialect: Dialect, leaseMs: number) {
  const time = databaseTime(dialect)
  return sql<boolean>`(lease_until < ${time} or lease_until > ${time} + ${sql.lit(2 * leaseMs)})`
}

/** The oldest free batches of each environment; environments with the fewest running batches come first. */
async function freeForClaim(
  db: Connection['db'],
  dialect: Dialect,
  { now, limit, leaseMs, pauseAtMostMs, ofEnvironment, except }: Claim,
): Promise<{ id: number; account_id: number }[]> {
  const time = databaseTime(dialect)
  const others = except.length === 0 ? sql`` : sql`and id not in (${sql.join(except)})`
  const { rows } = await sql<{ id: number; account_id: number }>`
    select id, account_id from (
      select id, free.account_id, coalesce(running.count, 0) + row_number() over (partition by free.account_id order by id) as place
      from batches as free
      left join (
        select account_id, count(*) as count from batches
        where status = 'running' and lease_until >= ${time} group by account_id
      ) as running on running.account_id = free.account_id
      where ${isFree(dialect, leaseMs)} ${others} and (status in ('queued', 'running')
        or (status = 'paused' and (resume_at <= ${now} or resume_at > ${now + pauseAtMostMs})))
    ) as placed where place <= ${ofEnvironment} order by place, id limit ${limit}`.execute(db)
  return rows
}

/** Renews leases that are still the newest; returns the batches to continue. */
export async function renewBatches(
  { db, dialect }: Connection,
  { batches, leaseMs }: { batches: { id: number; lease: number }[]; leaseMs: number },
): Promise<number[]> {
  const rows = await db
    .updateTable('batches')
    .set({ lease_until: sql<number>`${databaseTime(dialect)} + ${sql.lit(leaseMs)}` })
    .where(({ or, and, eb }) => or(batches.map(({ id, lease }) => and([eb('id', '=', id), eb('lease', '=', lease)]))))
    .where('status', '=', 'running')
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** The embedded engine belongs to one process: batches of a dead process are freed, and its uploads are discarded. */
export async function freeBatches({ db }: Connection, _args: null): Promise<void> {
  await db.updateTable('batches').set({ lease_until: 0 }).where('lease_until', '>', 0).execute()
  await db.updateTable('batches').set({ expires_at: 0 }).where('status', '=', 'uploading').execute()
}
