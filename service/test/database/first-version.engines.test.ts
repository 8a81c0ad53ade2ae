import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startFakeProvider } from '../../fake-provider/start-fake-provider.ts'
import { migrate, migrations } from '../../src/database/migrations/migrate.ts'
import { first } from '../../src/database/migrations/0001-first.ts'
import type { Migration } from '../../src/database/engine/migration.ts'
import { writeSequences } from '../../src/database/move/copy-table.ts'
import { openPostgres } from '../../src/database/postgres/postgres.ts'
import { openSqlite } from '../../src/database/sqlite/connection/sqlite.ts'
import { overPostgres, overSqlite, onPostgres, openOwnDatabase, type OpenDatabase } from '../harness/engines.ts'
import { TestService } from '../harness/test-service.ts'
import { postgresDialect } from '../../src/database/postgres/postgres-dialect.ts'

/** The key of the store in first-version.sql. It is used nowhere else. */
const ApiKey = 'vt_live_U1QypVB2gfNB8MxSRFWzidcaGwcUHS0W35p8m1'
const soonAfter = '2026-11-16T00:00:00Z'
const [stored = '', written = ''] = readFileSync(join(import.meta.dirname, 'first-version.sql'), 'utf8').split('\n\n')

/** Runs statements written for SQLite. PostgreSQL writes bytes differently. */
async function execute({ db, dialect }: OpenDatabase, statements: string): Promise<void> {
  for (const line of statements.split('\n').filter((text) => text !== '' && !text.startsWith('--')))
    await sql
      .raw(dialect.name === 'postgres' ? line.replaceAll(/X'([0-9a-f]*)'/g, String.raw`'\x$1'`) : line)
      .execute(db)
}

interface FirstStore {
  /** A connection beside the service, like that of a node of the first version. */
  database: OpenDatabase
  service: TestService
}

/** A store of the first version, and a service of this version that is not started yet. */
async function openFirstStore(): Promise<FirstStore> {
  const upstream = await startFakeProvider({ provider: 'mirror' })
  const own = onPostgres ? await openOwnDatabase('empty') : null
  const service = new TestService(own ? { env: { DATABASE_URL: own.url } } : {}, upstream)
  service.clock.set(soonAfter)
  const database = own
    ? overPostgres(openPostgres(own.url, () => undefined).db)
    : overSqlite(openSqlite(join(service.folder, 'vitae.db')))
  onTestFinished(async () => {
    await service.close()
    await database.db.destroy()
    await own?.drop()
  })
  await migrate(database.db, database.dialect, 0, [first])
  await sql`delete from migrations`.execute(database.db)
  await execute(database, stored)
  const numbered = ['environments', 'ledger_entries', 'entities', 'versions', 'fetches', 'audit'] as const
  await writeSequences(database, new Map(numbered.map((table) => [table, 50])))
  return { database, service }
}

const company = (service: TestService) => service.get('/v1/companies/details?company_id=tidewater-robotics', { ApiKey })
const isExact = async (service: TestService) => (await service.admin<{ ok: boolean }>('GET', '/ledger/verify')).ok

test('a store of the first version is migrated to the newest schema, and serves its records, keys and credits', async () => {
  const { database, service } = await openFirstStore()

  await service.start()
  const answer = await company(service)

  expect([answer.status, answer.headers.get('x-data-source')]).toEqual([200, 'store'])
  expect(answer.json).toMatchObject({ company_id: '900000001', company_name: 'Tidewater Robotics' })
  expect(await service.balance()).toMatchObject({ balance: 8, held: 0 })
  expect(await isExact(service)).toBe(true)
  const found = await service.admin<{ records: object[] }>('GET', '/records?kind=companies&q=robotics')
  expect(found.records).toHaveLength(1)
  const { rows } = await sql<{ number: number }>`select number from migrations order by number`.execute(database.db)
  expect(rows.map(({ number }) => number)).toEqual(migrations.map(({ number }) => number))
})

test('a store that is newer than the program is refused with a one-line message, and stays unchanged', async () => {
  const { database, service } = await openFirstStore()
  await sql`insert into migrations (number, name, at) values (9999, 'from-the-future', 0)`.execute(database.db)

  const refused = await service.start().then(
    () => '',
    (error: Error) => `${error.name}: ${error.message}`,
  )

  expect(refused).toMatch(/^StartError: .* cannot be (used|opened): The store is at schema 9999, made by a newer Vitae/)
  expect(refused).not.toContain('\n')
  const { rows } = await sql<{ number: number }>`select number from migrations order by number`.execute(database.db)
  expect(rows.map(({ number }) => number)).toEqual([1, 9_999])
})

const seen = (database: OpenDatabase, ago: string) =>
  sql`insert into nodes (id, seen_at, heard, serves)
    values ('old-node', extract(epoch from clock_timestamp() - ${sql.lit(ago)}::interval) * 1000, 0, 1)
    on conflict (id) do update set seen_at = excluded.seen_at`.execute(database.db)

describe.skipIf(!onPostgres)('nodes of two versions on one PostgreSQL', () => {
  test('can run together with an exact ledger; or the start requires the older ones to stop', async () => {
    const { database, service } = await openFirstStore()
    await seen(database, '0 seconds')
    if (migrations.some((migration) => migration.stopsOlderNodes)) {
      await expect(service.start()).rejects.toThrow(/cannot run beside nodes of an older version/)
      return
    }

    await service.start()
    expect((await company(service)).status).toBe(200)
    await execute(database, written)
    const person = await service.get('/v1/people/profile?profile_id=amara-okafor', { ApiKey })

    expect([person.status, person.headers.get('x-data-source')]).toEqual([200, 'store'])
    expect((await company(service)).status).toBe(200)
    expect(await service.balance()).toMatchObject({ balance: 5, held: 0 })
    expect(await isExact(service)).toBe(true)
  })

  test('exchange records: a node packs them for an older one that runs, and smaller once none does', async () => {
    const { database, service } = await openFirstStore()
    const storedBy = async (slug: string) => {
      expect((await service.get(`/v1/people/profile?profile_id=${slug}`, { ApiKey })).status).toBe(200)
      const rows = await database.db.selectFrom('versions').select('body').orderBy('id', 'desc').limit(1).execute()
      return Buffer.from(rows[0]?.body ?? [])
    }

    await seen(database, '0 seconds')
    await service.start()
    const besideOlder = await storedBy('bruno-falk')
    await seen(database, '1 minute')
    await service.restart()
    const alone = await storedBy('carla-falk')

    // Older nodes unpack it like this, without a dictionary.
    expect(JSON.parse(zstdDecompressSync(besideOlder).toString())).toMatchObject({ first_name: expect.any(String) })
    expect(() => zstdDecompressSync(alone)).toThrow('Unknown frame descriptor')
    expect(alone.length).toBeLessThan(besideOlder.length)
  })

  test('wait with an incompatible migration until no older node is alive', async () => {
    const { database } = await openFirstStore()
    const breaking: Migration = { number: 2, name: 'breaking', stopsOlderNodes: true, up: async () => undefined }
    const upgrade = () => migrate(database.db, postgresDialect, 0, [first, breaking])

    await seen(database, '1 second')
    await expect(upgrade()).rejects.toThrow(
      'Migration 2 (breaking) cannot run beside nodes of an older version: stop all of them (1 alive), then start this one',
    )
    await seen(database, '1 minute')
    expect(await upgrade()).toBe(2)
  })

  test('stay compatible: what older nodes write fits a newer schema, unless the migration requires them to stop', async () => {
    const { database } = await openFirstStore()
    const columns = async () => {
      const { rows } = await sql<Column>`select table_name, column_name, data_type, is_nullable, column_default
        from information_schema.columns where table_schema = current_schema()`.execute(database.db)
      return rows
    }
    const wrong: string[] = []
    for (const [index, migration] of migrations.entries()) {
      const before = await columns()
      await migrate(database.db, postgresDialect, 0, migrations.slice(0, index + 1))
      if (!migration.stopsOlderNodes) wrong.push(...taken(before, await columns(), migration.name))
    }

    expect(wrong).toEqual([])
  })

  test("keep working: an older node's prepared statements on key_months survive its change to spend_periods", async () => {
    const { database } = await openFirstStore()
    await migrate(database.db, postgresDialect, 0, migrations.slice(0, 21))
    await database.db.connection().execute(async (older) => {
      const run = async (text: string) => (await sql.raw(text).execute(older)).rows
      for (const [name, text] of Object.entries(onKeyMonths)) await run(`prepare ${name} as ${text}`)
      const spend = async () => {
        await run(`execute put ('k9', '2026-11-16', 4, 2)`)
        await run(`execute notified ('k9', '2026-11-16', 8, 9)`)
        const rows = await run(`execute locked ('k9')`)
        await run(`execute removed ('k9')`)
        return rows
      }
      const before = await spend()

      await migrate(database.db, postgresDialect, 0)

      const row = { spend_id: 'k9', month: '2026-11-16', captured: 4, held: 2, near_told: 8, reached_told: 9 }
      expect([before, await spend()]).toEqual([[row], [row]])
    })
  })
})

/** The statements of nodes before migration 22. */
const onKeyMonths = {
  put: `insert into key_months (spend_id, month, captured, held) values ($1, $2, $3, $4)
    on conflict (spend_id, month) do update set captured = excluded.captured, held = excluded.held`,
  notified: `update key_months set near_told = v.column3, reached_told = v.column4
    from (values (cast($1 as text), cast($2 as text), cast($3 as bigint), cast($4 as bigint))) as v
    where spend_id = v.column1 and month = v.column2`,
  locked: 'select * from key_months where spend_id = $1 for update',
  removed: 'delete from key_months where spend_id = $1',
}

interface Column {
  table_name: string
  column_name: string
  data_type: string
  is_nullable: string
  column_default: string | null
}

/** Every version reads integers of both sizes as numbers. */
function fits(before: string, after: string | undefined): boolean {
  return after === before || (before === 'integer' && after === 'bigint')
}

/**
 * Incompatible changes of a migration: a column that was removed or changed its type, or a new one that needs a value.
 */
function taken(before: readonly Column[], after: readonly Column[], migration: string): string[] {
  const name = (column: Column) => `${column.table_name}.${column.column_name}`
  const now = new Map(after.map((column) => [name(column), column]))
  const old = new Set(before.map(name))
  const tables = new Set(before.map((column) => column.table_name))
  const lost = before.filter((column) => !fits(column.data_type, now.get(name(column))?.data_type))
  const demanded = after.filter(
    (column) =>
      tables.has(column.table_name) &&
      !old.has(name(column)) &&
      column.is_nullable === 'NO' &&
      column.column_default === null,
  )
  return [...lost, ...demanded].map((column) => `${migration}: ${name(column)}`)
}
