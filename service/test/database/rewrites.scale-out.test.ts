import { describe, expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../src/database/engine/dialect.ts'
import { endRewrites, noteDeleted, readBytesLeft, rewriteTables } from '../../src/database/postgres/rewrite-tables.ts'
import { engines, type Engine } from '../harness/engines.ts'
import { hasEngines } from '../harness/scale-out-engine.ts'
import { noon } from '../credits/requests.ts'

describe.skipIf(!hasEngines).each(engines)('rewrites of tables on $name', (engine) => {
  /** A database with two recipients to delete, in one transaction each. */
  async function openWithRows(on: Engine) {
    const database = await on.open()
    onTestFinished(() => database.close())
    const row = { account_id: 1, kind: 'people' as const }
    const rows = [1, 2].map((id) => ({ ...row, entity_id: id, key: `key ${id}` }))
    await database.db.insertInto('recipients').values(rows).execute()
    const remove = (id: number) =>
      database.write(async ({ db }) => {
        await db.deleteFrom('recipients').where('entity_id', '=', id).execute()
        return noteDeleted(db, noon + id)
      })
    /** Repeated while transactions of other tests on the server run. */
    const rewrite = async (through: Database = database) => {
      await expect.poll(async () => (await rewriteTables(through, noon)).left).toEqual([])
    }
    const end = async () => {
      await database.write(({ db }) => endRewrites(db, noon))
      const ends = await database.db.selectFrom('rewrites').select(['number', 'ended_at']).orderBy('number').execute()
      return ends.map(({ number, ended_at: at }) => [number, at !== null])
    }
    return { database, remove, rewrite, end, left: () => readBytesLeft(database) }
  }

  test('rows that are deleted while their table is rewritten wait for the next rewrite', async () => {
    const { database, remove, rewrite, end, left } = await openWithRows(engine)
    const numbers = [await remove(1)]
    const single: Database['single'] = async (work) => {
      if (numbers.length === 1) numbers.push(await remove(2))
      return database.single(work)
    }

    await rewrite({ ...database, single })
    const ended = await end()

    expect([numbers, ended]).toEqual([
      [1, 2],
      [
        [1, true],
        [2, false],
      ],
    ])
    expect(await left()).toEqual({ tables: ['recipients'], since: noon + 2, hasBegun: false })
    await rewrite()
    await end()
    expect(await left()).toBeNull()
  })

  test('no rewrite ends while a table could not be locked, even if more is deleted from it', async () => {
    const { database, remove, rewrite, end, left } = await openWithRows(engine)
    await remove(1)
    const blocked = { ...database, single: async () => false as never }

    const { left: tables } = await rewriteTables(blocked, noon)
    await remove(2)
    const ended = await end()

    expect(tables).toEqual(['recipients'])
    expect(ended).toEqual([
      [1, false],
      [2, false],
    ])
    expect(await left()).toEqual({ tables: ['recipients'], since: noon + 1, hasBegun: true })
    await rewrite()
    expect(await end()).toEqual([
      [1, true],
      [2, true],
    ])
  })
})
