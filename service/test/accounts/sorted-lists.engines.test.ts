import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { engines } from '../harness/engines.ts'
import { openTestStore, type TestStore } from '../records/store-fixture.ts'

/** Every list that migration 13 gave an index, as it is asked for: the table, the filter, the order. */
const lists: [table: string, where: string, order: string][] = [
  ['projects', '(created_at, name) < (5, $$)', 'created_at desc, name desc'],
  ['keys', '(created_at, id) < (5, $$)', 'created_at desc, id desc'],
  ['keys', "project = 'acme' and (created_at, id) > (5, $$)", 'created_at, id'],
  ['keys', '(coalesce(last_used_at, 0), id) < (5, $$)', 'coalesce(last_used_at, 0) desc, id desc'],
  ['suppressions', 'created_at >= 5', 'created_at, hash'],
  ['suppressions', "origin = 'feed'", 'created_at desc, hash desc'],
  ['audit', "subject = 'key_1' and id < 5", 'id desc'],
  ['audit', "actor = 'owner' and id < 5", 'id desc'],
  ['audit', "action = 'key.create' and id < 5", 'id desc'],
  ['sessions', '(created_at, hash) < (5, $$)', 'created_at desc, hash desc'],
]

describe.each(engines)('sorted lists on $name', (engine) => {
  let fixture: TestStore
  beforeAll(async () => {
    fixture = await openTestStore(engine)
  })
  afterAll(() => fixture.close())

  test.each(lists)(
    'a page of %s where %s is read from an index, without a scan and without a sort',
    async (...list) => {
      const [table, where, order] = list
      const query = `select * from ${table} where ${where.replace('$$', "'m'")} order by ${order} limit 50`
      const plan = await planOf(fixture, query)

      expect(plan).toMatch(/USING (COVERING )?INDEX|Index (Only )?Scan/)
      expect(plan).not.toMatch(/\bSCAN \w+$|TEMP B-TREE|Seq Scan|\bSort\b/m)
    },
  )
})

async function planOf({ db, dialect }: TestStore, query: string): Promise<string> {
  return db.transaction().execute(async (tx) => {
    if (dialect === 'sqlite') {
      const { rows } = await sql<{ detail: string }>`explain query plan ${sql.raw(query)}`.execute(tx)
      return rows.map(({ detail }) => detail).join('\n')
    }
    // The tables of a test are so small that PostgreSQL would rather read and sort them whole.
    await sql`set local enable_seqscan = off`.execute(tx)
    await sql`set local enable_bitmapscan = off`.execute(tx)
    await sql`set local enable_sort = off`.execute(tx)
    const { rows } = await sql<{ 'QUERY PLAN': string }>`explain ${sql.raw(query)}`.execute(tx)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  })
}
