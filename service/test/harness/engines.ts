import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../../src/database/dialect.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openPostgres } from '../../src/database/postgres/postgres.ts'
import { openSqlite } from '../../src/database/sqlite/sqlite.ts'

export interface TestDatabase extends Database {
  /** The data folder, on the embedded engine. */
  folder: string | null
  close(): Promise<void>
}

export interface Engine {
  name: string
  open(): Promise<TestDatabase>
}

const sqlite: Engine = {
  name: 'sqlite',
  async open() {
    const folder = mkdtempSync(join(tmpdir(), 'vitae-test-'))
    const { db, direct } = openSqlite(join(folder, 'vitae.db'))
    await migrate(db, 'sqlite', 0)
    return {
      db,
      dialect: 'sqlite',
      direct,
      folder,
      async close() {
        await db.destroy()
        rmSync(folder, { recursive: true, force: true })
      },
    }
  },
}

export interface OwnDatabase {
  url: string
  drop(): Promise<void>
}

/** A schema of its own on the test server, so that tests do not meet each other. */
export async function openOwnDatabase(): Promise<OwnDatabase> {
  const server = process.env['TEST_POSTGRES_URL']
  if (!server) throw new Error('NOT RUN: there is no PostgreSQL for this test (TEST_POSTGRES_URL)')
  const schema = `test_${randomBytes(8).toString('hex')}`
  const url = new URL(server)
  url.searchParams.set('options', `-c search_path=${schema}`)
  const manage = async (statement: string) => {
    const { db } = openPostgres(server, () => undefined)
    await sql.raw(statement).execute(db)
    await db.destroy()
  }
  await manage(`create schema ${schema}`)
  return { url: url.href, drop: () => manage(`drop schema if exists ${schema} cascade`) }
}

const postgres: Engine = {
  name: 'postgres',
  async open() {
    const own = await openOwnDatabase()
    const { db } = openPostgres(own.url, () => undefined)
    await migrate(db, 'postgres', 0)
    return {
      db,
      dialect: 'postgres',
      folder: null,
      async close() {
        await db.destroy()
        await own.drop()
      },
    }
  },
}

/** The engine that this run is about: the scale-out project of the tests names PostgreSQL. */
export const onPostgres = process.env['VITAE_TEST_ENGINE'] === 'postgres'
const postgresUrl = process.env['TEST_POSTGRES_URL']
if (onPostgres && !postgresUrl) console.warn('NOT RUN: store tests on PostgreSQL, because there is none.')

/** What store tests run over; empty where PostgreSQL was wished for and is not there. */
export const engines: readonly Engine[] = onPostgres ? (postgresUrl ? [postgres] : []) : [sqlite]
