import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CallCounts } from '../../src/providers/call-counts.ts'
import { callCountOperations, type CallCountStore } from '../../src/providers/operations.ts'
import { storeOn } from '../harness/store-on.ts'
import { engines, type TestDatabase } from '../harness/engines.ts'

const ask = { provider: 'mirror', month: '2026-11', limit: null }
const pausing = { provider: 'mirror', actor: 'owner', at: 0 }

let database: TestDatabase
let asked: string[]
let store: CallCountStore
let counts: CallCounts
beforeEach(async () => {
  const [engine] = engines
  if (!engine) throw new Error('there is no embedded engine')
  database = await engine.open()
  asked = []
  store = storeOn(database, { callCounts: callCountOperations }, (name) => asked.push(name)).callCounts
  counts = new CallCounts(store)
  expect(await counts.spend(ask)).toBe('ok')
})
afterEach(async () => {
  await counts.close()
  await database.close()
})

async function writtenCalls(): Promise<number | undefined> {
  const [row] = await store.budgetStates({ month: '2026-11' })
  return row?.calls
}

test('a call without a budget waits for no store, and its count is written within about a second', async () => {
  asked = []
  for (let call = 0; call < 3; call++) expect(await counts.spend(ask)).toBe('ok')
  expect(asked).toEqual([])

  await vi.waitUntil(() => asked.includes('callCounts.countCalls'), { timeout: 300_000 })

  expect(await writtenCalls()).toBe(4)
})

test('while other nodes cannot be heard, every call asks whether its provider is paused', async () => {
  counts.mayCache = () => false
  asked = []
  await counts.spend(ask)
  await store.setProviderPaused({ ...pausing, paused: true })

  expect(await counts.spend(ask)).toBe('paused')
  expect(asked).toEqual(['peekBudget', 'setProviderPaused', 'peekBudget'].map((name) => `callCounts.${name}`))
})

test('the counts include every call, even those without a result', async () => {
  await counts.spend(ask)

  expect(await counts.states('2026-11')).toEqual([{ provider: 'mirror', calls: 2 }])
})

test('a pause takes effect at once, even during calls, until it is resumed', async () => {
  const meanwhile = counts.spend(ask)
  const paused = counts.setPaused({ ...pausing, paused: true })
  const during = counts.spend(ask)
  await Promise.all([meanwhile, paused, during])

  expect(await counts.spend(ask)).toBe('paused')
  expect(await counts.spend(ask)).toBe('paused')
  await counts.setPaused({ ...pausing, paused: false })
  expect(await counts.spend(ask)).toBe('ok')
})

test('a limit counts all earlier calls, even those made without it, and is never exceeded', async () => {
  await counts.spend(ask)

  const ends = await Promise.all(Array.from({ length: 10 }, () => counts.spend({ ...ask, limit: 5 })))

  expect(ends.filter((end) => end === 'ok')).toHaveLength(3)
  expect(await writtenCalls()).toBe(5)
})
