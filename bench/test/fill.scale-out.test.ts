import { onTestFinished, test } from 'vitest'
import { openOwnDatabase } from '../../service/test/harness/engines.ts'
import { expectExactFill } from './run-fill.ts'

// The same program as in fill.test.ts, on PostgreSQL.
test.runIf(process.env['VITAE_TEST_LONG'])('a filled store on PostgreSQL is as exact as one on SQLite', async () => {
  const database = await openOwnDatabase('empty')
  onTestFinished(database.drop)
  expectExactFill({ DATABASE_URL: database.url })
})
