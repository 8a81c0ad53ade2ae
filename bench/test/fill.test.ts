import { test } from 'vitest'
import { expectExactFill } from './run-fill.ts'

test('a filled store has exactly as many calls as were asked for, and its ledger adds up', () => {
  expectExactFill({})
})
