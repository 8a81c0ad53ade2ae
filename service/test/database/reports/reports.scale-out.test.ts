import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../../src/database/dialect.ts'
import { report } from '../../../src/database/operation.ts'
import { openPostgresStore } from '../../../src/database/postgres/open-postgres-store.ts'
import { storeOver } from '../../../src/database/store.ts'
import { openOwnDatabase, testStart } from '../../harness/engines.ts'

/** A report with a statement timeout of 50 ms, and a statement that takes a minute. */
const slow = Object.assign(
  (database: Database, _args: null) => database.read(({ db }) => sql`select pg_sleep(60)`.execute(db), 50),
  { quick: false, reportMs: 60_000 },
)
const operations = {
  slow,
  count: report(async ({ db }, _args: null) => (await db.selectFrom('settings').selectAll().execute()).length),
  writing: report(async ({ db }, _args: null) => db.deleteFrom('settings').execute()),
}

test.for([true, false])(
  'on PostgreSQL, with prepared statements %s, a report that times out fails with the same message',
  async (prepared) => {
    const own = await openOwnDatabase()
    onTestFinished(() => own.drop())
    const opened = await openPostgresStore({
      url: own.url,
      operations,
      now: testStart,
      prepared,
      onError: () => undefined,
    })
    const store = storeOver<typeof operations>(opened)
    try {
      await expect(store.slow(null)).rejects.toMatchObject({
        code: 'store_unavailable',
        message: expect.stringMatching(/longer than 60 s .* shorter period/),
      })
      expect(await store.count(null)).toBeGreaterThanOrEqual(0)
      await expect(store.writing(null)).rejects.toMatchObject({ code: 'store_unavailable', cause: { code: '25006' } })
    } finally {
      await opened.close()
    }
  },
)
