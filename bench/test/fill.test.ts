import { test } from 'vitest'
import { expectExactFill } from './run-fill.ts'

test('a filled store has exactly the requested number of calls, and its ledger adds up', () => {
  expectExactFill({})
})
