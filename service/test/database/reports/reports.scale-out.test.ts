import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../../src/database/engine/dialect.ts'
import { report, storeOver, type Subject } from '../../../src/database/engine/operation.ts'
import { openPostgresStore } from '../../../src/database/postgres/open-postgres-store.ts'
import { openOwnDatabase, testStart } from '../../harness/engines.ts'

/** A report with a statement timeout of 50 ms, and a statement that takes a minute. */
const slow = Object.assign(
  (database: Database, _args: null) => database.read(({ db }) => sql`select pg_sleep(60)`.execute(db), 50),
  { quick: false, reportMs: 60_000 },
)
const odd = {
  slow,
  count: report(async ({ db }, _args: null) => (await db.selectFrom('settings').selectAll().execute()).length),
  writing: report(async ({ db }, _args: null) => db.deleteFrom('settings').execute()),
}

test.for([null, { keepsStatements: false }])(
  'on PostgreSQL, behind pooler %o, a report that times out fails with the same message',
  async (pooler) => {
    const own = await openOwnDatabase()
    onTestFinished(() => own.drop())
    const opened = await openPostgresStore({
      url: own.url,
      operations: { odd },
      now: testStart,
      pooler,
      onError: () => undefined,
    })
    const store = storeOver<{ odd: Subject<typeof odd> }>(opened).odd
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
