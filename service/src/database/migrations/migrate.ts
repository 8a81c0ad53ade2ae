import { setTimeout as pause } from 'node:timers/promises'
import { sql, type Kysely, type Transaction } from 'kysely'
import { isLockTimeout } from '../engine/lost-connection.ts'
import { briefLockMs } from '../engine/brief-lock.ts'
import type { Dialect } from '../engine/dialect.ts'
import { first } from './0001-first.ts'
import { recordSearch } from './0002-record-search.ts'
import { migrations3To16 } from './0003-0016.ts'
import { migrations17To32 } from './0017-0032.ts'
import { migrations33To42 } from './0033-0042.ts'
import { migrations43To58 } from './0043-0058.ts'
import { livingNodes } from './living-nodes.ts'
import { schemaErrorCode, type Migration } from '../engine/migration.ts'
import type { Tables } from '../tables/tables.ts'

/** Forward only, applied in order, each exactly once. */
export const migrations: readonly Migration[] = [
  first,
  recordSearch,
  ...migrations3To16,
  ...migrations17To32,
  ...migrations33To42,
  ...migrations43To58,
]

/** A store that this version cannot or may not migrate. The code survives the way out of the store's thread. */
class SchemaError extends Error {
  readonly code = schemaErrorCode
}

const advisoryLock = 7_184_237_001

const [triesAtMost, pauseMs] = [60, 1_000]

/**
 * Migrates the store to the newest schema. Safe when many nodes start at once: one migrates, the others wait. Serving
 * nodes do not queue behind it: if another transaction reads a table that changes, the migration is retried.
 */
export async function migrate(
  db: Kysely<Tables>,
  dialect: Dialect,
  now: number,
  known: readonly Migration[] = migrations,
): Promise<number> {
  for (let tries = 1; ; tries++) {
    try {
      return await migrateOnce(db, dialect, now, known)
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      if (tries === triesAtMost)
        throw new SchemaError(
          'The schema could not be changed, because another transaction uses one of the changed tables (pg_dump, a session that was left open). End that transaction, and start again',
        )
    }
    await pause(pauseMs)
  }
}

async function migrateOnce(
  db: Kysely<Tables>,
  dialect: Dialect,
  now: number,
  known: readonly Migration[],
): Promise<number> {
  return db.transaction().execute(async (tx) => {
    await dialect.advisoryLock(tx, advisoryLock)
    await sql`create table if not exists migrations (number integer primary key, name text not null, at bigint not null)`.execute(
      tx,
    )
    const done = await sql<{ number: number }>`select number from migrations`.execute(tx)
    const applied = new Set(done.rows.map((row) => Number(row.number)))
    const newest = known.at(-1)?.number ?? 0
    const unknown = Math.max(0, ...applied)
    if (unknown > newest) {
      throw new SchemaError(
        `The store is at schema ${unknown}, made by a newer Vitae; this one knows ${newest}. Run the newer version, or restore a backup from before the upgrade`,
      )
    }
    const missing = known.filter(({ number }) => !applied.has(number))
    if (dialect.name === 'postgres' && applied.size > 0) await refuseBesideOlderNodes(tx, missing)
    // Set only now: nodes that wait for each other above may wait longer.
    if (dialect.name === 'postgres') await sql.raw(`set local lock_timeout = ${briefLockMs}`).execute(tx)
    for (const migration of missing) {
      await run(tx, dialect, migration)
      await sql`insert into migrations (number, name, at) values (${migration.number}, ${migration.name}, ${now})`.execute(
        tx,
      )
    }
    return newest
  })
}

async function run(tx: Transaction<Tables>, dialect: Dialect, { statements = [], up }: Migration): Promise<void> {
  const engine = { types: dialect.columnTypes, dialect }
  const texts = typeof statements === 'function' ? statements(engine) : statements
  for (const text of texts) await sql.raw(text).execute(tx)
  await up?.({ db: tx, ...engine })
}

/**
 * Older nodes continue beside most migrations. If a migration removes something that they use, they must be stopped
 * first.
 */
async function refuseBesideOlderNodes(tx: Kysely<Tables>, missing: readonly Migration[]): Promise<void> {
  const stop = missing.find((migration) => migration.stopsOlderNodes)
  if (!stop) return
  const { length: nodes } = await livingNodes(tx)
  if (nodes === 0) return
  throw new SchemaError(
    `Migration ${stop.number} (${stop.name}) cannot run beside nodes of an older version: stop all of them (${nodes} alive), then start this one`,
  )
}
