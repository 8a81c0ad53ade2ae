import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openPostgresStore } from '../../src/database/postgres/open-postgres-store.ts'
import { openPostgres } from '../../src/database/postgres/postgres.ts'
import type { Connection } from '../../src/database/engine/dialect.ts'
import { read, write } from '../../src/database/engine/operation.ts'
import { hasEngines, ownDatabase } from '../harness/scale-out-engine.ts'

const now = Date.UTC(2026, 10, 14)
const onError = () => undefined

describe.skipIf(!hasEngines)('the schema on PostgreSQL', () => {
  test('ten nodes that start at once on an empty database all get the newest schema', async () => {
    const url = await ownDatabase('empty')
    const options = { url, operations: {}, now, onError }

    const stores = await Promise.all(Array.from({ length: 10 }, () => openPostgresStore(options)))
    await Promise.all(stores.map((store) => store.close()))

    const { db } = openPostgres(url, onError)
    onTestFinished(() => db.destroy())
    const { rows } = await sql<{ number: number }>`select number from migrations order by number`.execute(db)
    expect(rows.map((row) => row.number)).toEqual(rows.map((_, index) => index + 1))
  })

  test("a reported commit is on disk, even if the server's default says otherwise", async () => {
    const url = new URL(await ownDatabase())
    url.searchParams.set('options', '-c synchronous_commit=off')
    const { db } = openPostgres(url.href, onError)
    onTestFinished(() => db.destroy())

    const { rows } = await sql<{ synchronous_commit: string }>`show synchronous_commit`.execute(db)

    expect(rows).toEqual([{ synchronous_commit: 'on' }])
  })

  test('an unreachable server is reported in one line', async () => {
    const url = 'postgres://vitae:none@127.0.0.1:1/none'
    await expect(openPostgresStore({ url, operations: {}, now, onError })).rejects.toThrow('ECONNREFUSED')
  })
})

async function readAll({ db }: Connection, { name }: { name: string }) {
  return db.selectFrom('settings').selectAll().where('name', '=', name).execute()
}

/** Two accounts' rows, locked by two operations in opposite order. */
async function crossing({ db }: Connection, { first, second, name }: { first: string; second: string; name: string }) {
  await sql`update settings set value = value || ${name} where name = ${first}`.execute(db)
  await sql`select pg_sleep(0.3)`.execute(db)
  await sql`update settings set value = value || ${name} where name = ${second}`.execute(db)
  return 'done'
}

async function serialised({ db }: Connection, { name }: { name: string }) {
  await sql`set transaction isolation level serializable`.execute(db)
  const { rows } = await sql<{ count: number }>`select count(*) as count from settings`.execute(db)
  await sql`select pg_sleep(0.2)`.execute(db)
  await sql`insert into settings values (${name}, ${String(rows[0]?.count)})`.execute(db)
  return 'done'
}

describe.skipIf(!hasEngines)('conflicts on PostgreSQL', () => {
  const operations = { odd: { crossing: write(crossing), serialised: write(serialised) } }

  test('of two operations that wait for each other one is rolled back and retried, and both succeed', async () => {
    const url = await ownDatabase()
    const store = await openPostgresStore({ url, operations, now, onError })
    onTestFinished(() => store.close())
    const { db } = openPostgres(url, onError)
    onTestFinished(() => db.destroy())
    await sql`insert into settings values ('a', ''), ('b', '')`.execute(db)

    const both = await Promise.all([
      store.run('odd.crossing', { first: 'a', second: 'b', name: '1' }),
      store.run('odd.crossing', { first: 'b', second: 'a', name: '2' }),
    ])

    expect(both).toEqual(['done', 'done'])
    const { rows } = await sql<{ value: string }>`select value from settings where name in ('a', 'b')`.execute(db)
    // Each was applied to both rows once.
    expect(rows.map((row) => [...row.value].toSorted().join(''))).toEqual(['12', '12'])
  })

  test('a serialisation failure is retried', async () => {
    const url = await ownDatabase()
    const store = await openPostgresStore({ url, operations, now, onError })
    onTestFinished(() => store.close())

    const names = ['x', 'y', 'z']
    expect(await Promise.all(names.map((name) => store.run('odd.serialised', { name })))).toEqual(
      names.map(() => 'done'),
    )
  })

  test('a table that a newer node has changed stays readable, even by connections with prepared statements', async () => {
    const url = await ownDatabase()
    const operations = { odd: { readAll: read(readAll, 'quick') } }
    const store = await openPostgresStore({ url, operations, now, onError })
    onTestFinished(() => store.close())
    const { db } = openPostgres(url, onError)
    onTestFinished(() => db.destroy())
    const atOnce = () => Promise.all(Array.from({ length: 4 }, () => store.run('odd.readAll', { name: 'schema' })))
    await atOnce()

    await sql`alter table settings add column more text`.execute(db)

    await expect(atOnce()).resolves.toHaveLength(4)
  })
})
