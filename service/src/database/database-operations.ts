import { long, read, report, single, type Operations, type Subject } from './engine/operation.ts'
import { statSync } from 'node:fs'
import { sql } from 'kysely'
import type { Connection, Database } from './engine/dialect.ts'
import { checkFile, copySqlite } from './sqlite/reader/copy-sqlite.ts'
import { mainFile } from './sqlite/connection/sqlite.ts'
import { migrations } from './migrations/migrate.ts'
import { pingSetting } from './move/moved-tables.ts'
import { makePartitions } from './postgres/partitions.ts'

/** The row counts of a store. */
export interface StoreCounts {
  entries: number
  calls: number
  entities: number
  versions: number
  payloads: number
  suppressions: number
}

/** Copies one snapshot of the store into a new file; only on the embedded engine. */
async function backupStore(database: Database, { path }: { path: string }): Promise<void> {
  if (database.dialect.name === 'postgres') throw new Error('only the embedded engine copies its store')
  await copySqlite(await database.read(({ db }) => mainFile(db)), path)
}

/** Leaves a copy as a single plain file that can be read from a read-only disk. */
async function sealCopy({ db, dialect }: Connection, _args: null): Promise<void> {
  if (dialect.name === 'sqlite') await sql`pragma journal_mode = delete`.execute(db)
}

const counted = {
  entries: 'ledger_entries',
  calls: 'calls',
  entities: 'entities',
  versions: 'versions',
  payloads: 'payloads',
  suppressions: 'suppressions',
} as const

/** Counts what matters after a restore. */
async function countStore({ db }: Connection, _args: null): Promise<StoreCounts> {
  const counts: StoreCounts = { entries: 0, calls: 0, entities: 0, versions: 0, payloads: 0, suppressions: 0 }
  for (const name of ['entries', 'calls', 'entities', 'versions', 'payloads', 'suppressions'] as const) {
    const table = db.selectFrom(counted[name]).select((of) => of.fn.countAll<number>().as('count'))
    counts[name] = Number((await table.executeTakeFirstOrThrow()).count)
  }
  return counts
}

export interface StoreFacts {
  engine: 'SQLite' | 'PostgreSQL'
  version: string
  schema: number
  /** The schema that this release knows. */
  newestSchema: number
  /** The time of the newest entry ever written; a clock behind it has gone backwards. */
  newestAt: number | null
}

/** The facts about the store for `vitae doctor`. */
async function inspectStore({ db, dialect }: Connection, _args: null): Promise<StoreFacts> {
  const isSqlite = dialect.name === 'sqlite'
  const engine = isSqlite
    ? sql<{ version: string }>`select sqlite_version() as version`
    : sql<{ version: string }>`show server_version`
  const [found] = (await engine.execute(db)).rows
  const [applied] = (await sql<{ number: number }>`select max(number) as number from migrations`.execute(db)).rows
  const newest = await db.selectFrom('audit').select('at').orderBy('id', 'desc').limit(1).executeTakeFirst()
  return {
    engine: isSqlite ? 'SQLite' : 'PostgreSQL',
    version: String(Object.values(found ?? {})[0] ?? ''),
    schema: Number(applied?.number ?? 0),
    newestSchema: migrations.at(-1)?.number ?? 0,
    newestAt: newest?.at ?? null,
  }
}

/** The damage of the embedded engine's file; null if there was no time to read all of it. */
async function inspectFile(
  database: Database,
  { withinMs }: { withinMs: number | null },
): Promise<{ bytes: number; damage: string[] | null } | null> {
  if (database.dialect.name === 'postgres') return null
  const path = await database.read(({ db }) => mainFile(db))
  return { bytes: statSync(path).size, damage: await checkFile(path, withinMs) }
}

/** Proves that the store can be written. On the embedded engine this costs an fsync. */
async function ping({ db, dialect }: Connection, _args: null): Promise<'ok'> {
  if (dialect.name === 'postgres') {
    const setting = sql<{ value: string }>`select current_setting('transaction_read_only') as value`
    const { rows } = await setting.execute(db)
    if (rows[0]?.value !== 'off') throw new Error('PostgreSQL accepts no writes: it is a standby, or set to read-only')
    return 'ok'
  }
  const value = String(performance.now())
  await db
    .insertInto('settings')
    .values({ name: pingSetting, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
  return 'ok'
}

/** The database as a whole: its copies, its state, and room for coming months. */
export const databaseOperations = {
  backupStore: long(backupStore),
  sealCopy: single(sealCopy),
  countStore: report(countStore, 'long'),
  inspectStore: read(inspectStore),
  inspectFile: long(inspectFile),
  ping: single(ping, 'quick'),
  makePartitions: long(makePartitions),
} satisfies Operations
export type DatabaseStore = Subject<typeof databaseOperations>
