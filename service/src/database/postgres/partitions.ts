import { sql, type Kysely } from 'kysely'
import type { Database, Tx } from '../engine/dialect.ts'
import { unlessLocked } from '../engine/brief-lock.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { addLateCalls, aggregateCharges, aggregateCosts } from '../sql/aggregate-calls.ts'
import { makeFinal, noteRemoved } from '../sql/summed-days.ts'
import type { Tables } from '../tables/tables.ts'
import { dayMs, utcMonth } from '../../foundation/clock.ts'

/** Tables that are partitioned by month on PostgreSQL; rows outside all months are in `<table>_other`. */
const byMonth = {
  calls: { column: 'request_id', bound: (at: number) => `'${firstRequestIdOf(at)}'` },
  call_details: { column: 'request_id', bound: (at: number) => `'${firstRequestIdOf(at)}'` },
  fetches: { column: 'at', bound: (at: number) => String(at) },
} as const
type ByMonth = keyof typeof byMonth

const monthsAhead = 2
const partitionLock = 7_184_237_002

/** Creates the partitions of this month and the next ones; does nothing if they exist, and on SQLite. */
export async function makePartitions(database: Database, { now }: { now: number }): Promise<{ made: number }> {
  if (!database.dialect.hasMonths) return { made: 0 }
  let made = 0
  for (const table of ['calls', 'call_details', 'fetches'] as const) {
    for (let ahead = 0; ahead <= monthsAhead; ahead++) {
      const start = monthStart(now, ahead)
      if (await database.read(({ db }) => isThere(db, nameOf(table, start)))) continue
      // Rows that arrive before it exists go to `<table>_other`, and are moved when it is created.
      const done = await database.write(({ db }) => makePartition(db, table, start))
      made += done ? 1 : 0
    }
  }
  return { made }
}

/** Rows that arrived before the partition was created are moved into it, because both must not claim them. */
async function makePartition(tx: Tx, table: ByMonth, start: number): Promise<boolean> {
  await postgresDialect.advisoryLock(tx, partitionLock)
  const name = nameOf(table, start)
  if (await isThere(tx, name)) return true
  const { column, bound } = byMonth[table]
  const [from, to] = [bound(start), bound(monthStart(start, 1))]
  const statements = [
    `create table ${name} (like ${table} including defaults)`,
    `with moved as (delete from ${table}_other where ${column} >= ${from} and ${column} < ${to} returning *)
      insert into ${name} select * from moved`,
    `alter table ${table} attach partition ${name} for values from (${from}) to (${to})`,
  ]
  const made = await unlessLocked(tx, async () => {
    for (const statement of statements) await sql.raw(statement).execute(tx)
  })
  return made !== null
}

/** Drops the months of the call log in which everything is older than `before` and summed; returns the number of dropped rows. */
export async function dropCallMonths(tx: Tx, table: 'calls' | 'call_details', before: number): Promise<number> {
  let dropped = 0
  for (const name of await monthsOf(tx, table)) {
    const { rows } = await sql<{ oldest: number | null; newest: number | null }>`
      select min(at) as oldest, max(at) as newest from ${sql.table(name)}`.execute(tx)
    const { oldest = null, newest = null } = rows[0] ?? {}
    if (oldest === null || newest === null || newest >= before) continue
    const days = { since: oldest - (oldest % dayMs), until: newest - (newest % dayMs) + dayMs }
    if (table === 'calls' && !(await makeFinal({ db: tx, dialect: postgresDialect }, days))) continue
    const calls = await sql<{ count: number }>`select count(*) as count from ${sql.table(name)}`.execute(tx)
    const aggregate = async () => {
      if (table === 'calls') {
        await addLateCalls(tx, name, sql`true`)
        await aggregateCharges(tx, name, sql`true`)
        await noteRemoved(tx, { ...days, rows: null })
      } else await aggregateCosts(tx, postgresDialect, name, sql`true`)
    }
    if (await dropUnlessBusy(tx, name, aggregate)) dropped += Number(calls.rows[0]?.count ?? 0)
  }
  return dropped
}

/** Drops past months of the archive's index that retention has emptied. */
export async function dropEmptyFetchMonths(tx: Tx, now: number): Promise<void> {
  for (const name of await monthsOf(tx, 'fetches')) {
    if (name >= nameOf('fetches', monthStart(now, 0))) continue
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(tx)
    if (rows.length === 0) await dropUnlessBusy(tx, name)
  }
}

/** Dropping needs an exclusive lock for a moment. Calls do not wait for it: it is retried later. */
async function dropUnlessBusy(tx: Tx, name: string, first?: () => Promise<void>): Promise<boolean> {
  const dropped = await unlessLocked(tx, async () => {
    await first?.()
    await sql`drop table ${sql.table(name)}`.execute(tx)
  })
  return dropped !== null
}

async function monthsOf(tx: Tx, table: ByMonth): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = ${sql.lit(table)}::regclass and relname <> ${sql.lit(`${table}_other`)} order by relname`.execute(
    tx,
  )
  return rows.map((row) => row.name)
}

async function isThere(db: Kysely<Tables>, name: string): Promise<boolean> {
  // Read from the catalogue table: `to_regclass` may answer from a cache that is older than another node's commit.
  const { rows } = await sql`
    select 1 from pg_class where relname = ${name} and relnamespace = current_schema()::regnamespace`.execute(db)
  return rows.length > 0
}

function nameOf(table: ByMonth, start: number): string {
  return `${table}_${utcMonth(start).replace('-', '_')}`
}

function monthStart(at: number, later: number): number {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later)
}

/** A request id begins with its milliseconds, so ids of later months are greater as text too. */
function firstRequestIdOf(at: number): string {
  const hex = at.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}`
}
