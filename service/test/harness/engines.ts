import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Connection, Database } from '../../src/database/engine/dialect.ts'
import { poolDatabase, withRun } from '../../src/database/postgres/pool-database.ts'
import { Executor } from '../../src/database/sqlite/executor.ts'
import { migrate } from '../../src/database/migrations/migrate.ts'
import { makePartitions } from '../../src/database/postgres/partitions.ts'
import { openPostgres, type PooledKysely } from '../../src/database/postgres/postgres.ts'
import { openSqlite, sqliteDialect } from '../../src/database/sqlite/connection/sqlite.ts'
import { postgresDialect } from '../../src/database/postgres/postgres-dialect.ts'

/** The start time of a test clock. */
export const testStart = Date.UTC(2026, 10, 14, 9, 30)

/** A database with its connection, for tests that inspect it. */
export type OpenDatabase = Database & Connection

/** The embedded engine, with its executor in this thread. */
export function overSqlite({ db }: Pick<ReturnType<typeof openSqlite>, 'db'>): OpenDatabase {
  const connection: Connection = { db, dialect: sqliteDialect }
  const executor = new Executor(connection)
  return {
    ...connection,
    read: (work) => executor.read((on) => withoutWriting(on, work)),
    single: (work) => executor.single(work),
    write: (work) => executor.write(work),
    share: (sharing, work) => executor.share(sharing, work),
  }
}

/**
 * Fails if an operation declared as a read writes, because its commit would not be handled. Does not use `query_only`,
 * because each change of it makes SQLite prepare all statements again.
 */
async function withoutWriting<Result>(on: Connection, work: (on: Connection) => Promise<Result>): Promise<Result> {
  const before = await changesOf(on)
  const result = await work(on)
  if ((await changesOf(on)) !== before) throw new Error('what is declared as a read has written')
  return result
}

async function changesOf({ db }: Connection): Promise<unknown> {
  const [row] = (await db.run('select total_changes() as changes', [])) as { changes: number }[]
  return row?.changes
}

/** PostgreSQL. */
export function overPostgres(db: PooledKysely): OpenDatabase {
  return { ...poolDatabase(db), db: withRun(db) }
}

export interface TestDatabase extends OpenDatabase {
  /** The data folder on the embedded engine, otherwise null. */
  folder: string | null
  close(): Promise<void>
}

export interface Engine {
  name: string
  open(): Promise<TestDatabase>
}

let emptyStore: Promise<Buffer> | null = null

/** The file of a store with empty tables. It is made once, because a migration takes ten times as long as a copy. */
export function migratedStore(): Promise<Buffer> {
  emptyStore ??= makeStore()
  return emptyStore
}

async function makeStore(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-test-'))
  const path = join(folder, 'vitae.db')
  const { db } = openSqlite(path)
  await migrate(db, sqliteDialect, 0)
  await db.destroy()
  const bytes = readFileSync(path)
  rmSync(folder, { recursive: true, force: true })
  return bytes
}

const sqlite: Engine = {
  name: 'sqlite',
  async open() {
    const folder = mkdtempSync(join(tmpdir(), 'vitae-test-'))
    writeFileSync(join(folder, 'vitae.db'), await migratedStore())
    const opened = openSqlite(join(folder, 'vitae.db'))
    return {
      ...overSqlite(opened),
      folder,
      async close() {
        await opened.db.destroy()
        rmSync(folder, { recursive: true, force: true })
      },
    }
  },
}

export interface OwnDatabase {
  url: string
  drop(): Promise<void>
}

/** The content of a new database: nothing, all tables, or also the monthly partitions that a first start creates. */
export type Content = 'empty' | 'migrated' | 'started'

/**
 * A separate database on the test server, so that tests are independent. It is copied, because a migration takes ten
 * times as long.
 */
export async function openOwnDatabase(content: Content = 'started'): Promise<OwnDatabase> {
  const server = process.env['TEST_POSTGRES_URL']
  const run = process.env['TEST_POSTGRES_RUN']
  if (!server || !run) throw new Error('NOT RUN: there is no PostgreSQL for this test (TEST_POSTGRES_URL)')
  const name = `test_${randomBytes(8).toString('hex')}`
  const template = content === 'empty' ? 'template1' : `${content}_${run}`
  await manage(server, `create database ${name} template ${template} strategy file_copy`)
  return { url: urlOf(server, name), drop: () => manage(server, `drop database if exists ${name} with (force)`) }
}

/** Creates the template databases of this run. */
export async function makeTemplates(server: string, run: string): Promise<OwnDatabase['drop']> {
  const names = { migrated: `migrated_${run}`, started: `started_${run}` }
  await manage(server, `create database ${names.migrated}`)
  await inDatabase(urlOf(server, names.migrated), ({ db }) => migrate(db, postgresDialect, 0))
  await manage(server, `create database ${names.started} template ${names.migrated}`)
  await inDatabase(urlOf(server, names.started), async (database) => {
    for (const now of [testStart, Date.now()]) await makePartitions(database, { now })
  })
  return async () => {
    for (const name of Object.values(names)) await manage(server, `drop database if exists ${name} with (force)`)
  }
}

function urlOf(server: string, database: string): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  return url.href
}

async function manage(server: string, statement: string): Promise<void> {
  await inDatabase(server, ({ db }) => sql.raw(statement).execute(db))
}

async function inDatabase(url: string, work: (database: OpenDatabase) => Promise<unknown>): Promise<void> {
  const { db } = openPostgres(url, () => undefined)
  try {
    await work(overPostgres(db))
  } finally {
    await db.destroy()
  }
}

const postgres: Engine = {
  name: 'postgres',
  async open() {
    const own = await openOwnDatabase('migrated')
    const { db } = openPostgres(own.url, () => undefined)
    return {
      ...overPostgres(db),
      folder: null,
      async close() {
        await db.destroy()
        await own.drop()
      },
    }
  },
}

/** Whether this run tests PostgreSQL. The scale-out project of the tests sets it. */
export const onPostgres = process.env['VITAE_TEST_ENGINE'] === 'postgres'
const postgresUrl = process.env['TEST_POSTGRES_URL']
if (onPostgres && !postgresUrl) console.warn('NOT RUN: store tests on PostgreSQL, because there is none.')

/** The engines that store tests run on; empty if PostgreSQL was requested but is missing. */
export const engines: readonly Engine[] = onPostgres ? (postgresUrl ? [postgres] : []) : [sqlite]
