import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Database, Tx } from '../../src/database/engine/dialect.ts'
import { isLostConnection } from '../../src/database/engine/lost-connection.ts'
import { poolDatabase } from '../../src/database/postgres/pool-database.ts'
import { openPostgres, quick, type PooledKysely } from '../../src/database/postgres/postgres.ts'
import { StatementNames } from '../../src/database/postgres/statement-names.ts'
import { openOwnDatabase, type OwnDatabase } from '../harness/engines.ts'
import { hasEngines } from '../harness/scale-out-engine.ts'

const insert = 'insert into things (id, name) values ($1, $2)'

describe.skipIf(!hasEngines).each([
  { how: 'with names', isPooled: false },
  { how: 'as behind a pooler', isPooled: true },
])('statements sent to PostgreSQL together, $how', ({ isPooled }) => {
  let own: OwnDatabase
  let db: PooledKysely
  let database: Database
  let names: StatementNames | null

  beforeAll(async () => {
    own = await openOwnDatabase('empty')
    names = isPooled ? null : new StatementNames()
    // One connection, so that the next work meets the leftovers of a failure.
    const limits = { ...quick, connections: 1 }
    db = openPostgres(own.url, () => undefined, limits, { names, perTransaction: isPooled }).db
    database = poolDatabase(db, { isPooled })
    await run('create table things (id int primary key, name text)')
  })
  afterAll(async () => {
    await db?.destroy()
    await own?.drop()
    // None was lost.
    if (!isPooled) expect(names?.nameOf(insert, [])).toBeDefined()
  })
  beforeEach(() => run('truncate things'))
  afterEach(() => void vi.restoreAllMocks())

  const run = (text: string) => database.single(async (connection) => connection.db.run(text, []))
  const things = () => run('select id, name from things order by id')
  const share = <Result>(work: (tx: Tx) => Promise<Result>) =>
    database.share({ durability: 'synced' }, (connection) => work(connection.db))

  test('concurrent reads are one round trip, and writes are sent with the commit', async () => {
    await things()
    const syncs = vi.spyOn(pg.Connection.prototype, 'sync')

    const read = await share(async (tx) => {
      const rows = await Promise.all([tx.run('select 1 as one', []), tx.run('select 2 as two', [])])
      await tx.send(insert, [1, 'a'])
      await tx.send(insert, [2, 'b'])
      return rows
    })

    expect(read).toEqual([[{ one: 1 }], [{ two: 2 }]])
    expect(syncs).toHaveBeenCalledTimes(2)
    expect(await things()).toEqual([
      { id: 1, name: 'a' },
      { id: 2, name: 'b' },
    ])
  })

  test('if one statement fails, nothing before or after it is committed, and the connection stays usable', async () => {
    const failing = share(async (tx) => {
      await tx.send(insert, [1, 'a'])
      await tx.send(insert, [1, 'again'])
      await tx.send(insert, [2, 'b'])
    })

    await expect(failing).rejects.toMatchObject({ code: '23505' })
    expect(await things()).toEqual([])
    await share(async (tx) => tx.send(insert, [3, 'c']))
    expect(await things()).toEqual([{ id: 3, name: 'c' }])
  })

  test('if one read fails, all reads sent with it fail, and so does the work', async () => {
    const failing = share(async (tx) => {
      await tx.send(insert, [1, 'a'])
      return Promise.all([tx.run('select 1 as one', []), tx.run('select 1 / $1::int', [0]), tx.run('select 2', [])])
    })

    await expect(failing).rejects.toMatchObject({ code: '22012' })
    expect(await things()).toEqual([])
  })

  test('failed work leaves nothing behind, even if it did not wait for its writes', async () => {
    const failing = share(async (tx) => {
      await tx.run('select 1', [])
      await tx.send(insert, [1, 'a'])
      throw new Error('changed its mind')
    })

    await expect(failing).rejects.toThrow('changed its mind')
    expect(await things()).toEqual([])
  })

  test('a failure that the work ignored is not taken for a commit', async () => {
    const failing = share(async (tx) => {
      await tx.send(insert, [1, 'a'])
      await Promise.resolve(tx.run('select 1 / 0', [])).catch(() => undefined)
    })

    await expect(failing).rejects.toThrow('was undone')
    expect(await things()).toEqual([])
  })

  test('a connection that ends before the commit is reported as lost, and nothing was committed', async () => {
    const failing = share(async (tx) => {
      await tx.send(insert, [1, 'a'])
      await tx.send('select pg_terminate_backend(pg_backend_pid())', [])
    })

    const error: unknown = await failing.catch((reason: unknown) => reason)
    expect(isLostConnection(error)).toBe(true)
    expect(await things()).toEqual([])
  })

  test('lists, bytes and null arrive unchanged', async () => {
    const odd = ['a"b', 'back\\slash', 'comma, {brace}', '', 'NULL', null]
    const rows = await share(async (tx) =>
      tx.run('select $1::text[] as list, $2::bytea as bytes, $3::text as none', [
        odd as unknown as string,
        new Uint8Array([0, 255, 92]),
        null,
      ]),
    )

    expect(rows).toEqual([{ list: odd, bytes: Buffer.from([0, 255, 92]), none: null }])
  })
})
