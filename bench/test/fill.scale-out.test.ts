import { onTestFinished, test } from 'vitest'
import { openOwnDatabase } from '../../service/test/harness/engines.ts'
import { expectExactFill } from './run-fill.ts'

test('a filled store on PostgreSQL is as exact as one in a file', async () => {
  const database = await openOwnDatabase('empty')
  onTestFinished(database.drop)
  expectExactFill({ DATABASE_URL: database.url })
})
