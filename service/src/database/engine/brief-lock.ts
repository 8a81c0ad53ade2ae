import { sql, type Kysely } from 'kysely'
import { isLockTimeout, lockTimeout } from './lost-connection.ts'
import type { Tables } from '../tables/tables.ts'

/**
 * How long one of our statements may wait for a lock that callers would queue behind. Such a lock cannot be granted
 * while a `pg_dump` or an analyst reads the table, and until it is granted or abandoned nobody else gets a weaker one
 * either.
 */
export const briefLockMs = 200

/** Runs a step that needs such a lock. Null if the lock could not be acquired: then nothing of the step was done. */
export async function unlessLocked<Result>(
  tx: Kysely<Tables>,
  step: () => Promise<Result>,
): Promise<{ result: Result } | null> {
  const { rows } = await sql<{ before: string }>`select current_setting('lock_timeout') as before`.execute(tx)
  await sql`savepoint brief`.execute(tx)
  try {
    await sql.raw(`set local lock_timeout = ${briefLockMs}`).execute(tx)
    const result = await step()
    await sql`select set_config('lock_timeout', ${rows[0]?.before ?? '0'}, true)`.execute(tx)
    await sql`release savepoint brief`.execute(tx)
    return { result }
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    await sql`rollback to savepoint brief`.execute(tx)
    return null
  }
}

const [pauseMs, triesAtMost] = [100, 100]

/** The same for a step that the transaction needs: callers get their turn in between. */
export async function withBriefWaits<Result>(tx: Kysely<Tables>, step: () => Promise<Result>): Promise<Result> {
  for (let tries = 0; tries < triesAtMost; tries++) {
    const done = await unlessLocked(tx, step)
    if (done) return done.result
    await pause(tx, pauseMs)
  }
  throw lockTimeout('a lock could not be acquired in many attempts', null)
}

const endsWithinMs = 3_000
const checkAgainMs = 50

/**
 * Whether no transaction from before now is still running that may see deleted rows: a rewritten table would keep them.
 * It waits for short ones. Transactions of other roles are recognised by their locks, because their state is not
 * visible to everyone. A transaction that writes counts in every database of the server, because a rewrite keeps all
 * rows that were deleted after it began.
 */
export async function isUnread(db: Kysely<Tables>): Promise<boolean> {
  const running = await transactions(db)
  for (let waitedMs = 0; running.size > 0; waitedMs += checkAgainMs) {
    if (waitedMs >= endsWithinMs) return false
    await pause(db, checkAgainMs)
    const still = await transactions(db)
    for (const id of running) if (!still.has(id)) running.delete(id)
  }
  return true
}

async function transactions(db: Kysely<Tables>): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select virtualtransaction as id from pg_locks
      where locktype = 'relation' and pid <> pg_backend_pid() and virtualtransaction <> '-1/0'
        and database = (select oid from pg_database where datname = current_database())
    union select 'snapshot ' || pid || ' ' || xact_start from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_xmin is not null
        and backend_type = 'client backend'
    union select 'writing ' || pg_snapshot_xip(pg_current_snapshot())::text`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** The server sleeps, because its other sessions are waited for, by its clock. */
async function pause(db: Kysely<Tables>, ms: number): Promise<void> {
  await sql`select pg_sleep(${ms / 1_000})`.execute(db)
}
