import { afterEach, beforeEach, expect, test } from 'vitest'
import { storeOver } from '../../../src/database/store.ts'
import { countedInMemory } from '../../../src/app/store/counted-in-memory.ts'
import { operations } from '../../../src/app/store/operations.ts'
import type { ServiceStore } from '../../../src/app/store/service-store.ts'
import { engines, type TestDatabase } from '../../harness/engines.ts'
import { fetched } from '../../records/store-fixture.ts'

const ask = { provider: 'mirror', month: '2026-11', limit: null }
const pausing = { provider: 'mirror', actor: 'owner', at: 0 }

let database: TestDatabase
let asked: string[]
let bare: ServiceStore
let store: ServiceStore
beforeEach(async () => {
  const [engine] = engines
  if (!engine) throw new Error('there is no embedded engine')
  database = await engine.open()
  asked = []
  bare = storeOver<typeof operations>((name, args) => {
    asked.push(name)
    return Reflect.get(operations, name)(database, args)
  })
  store = countedInMemory(bare).store
  expect(await store.spendBudget(ask)).toBe('ok')
})
afterEach(() => database.close())

async function callsOf(counted: ServiceStore): Promise<number | undefined> {
  const [row] = await counted.budgetStates({ month: '2026-11' })
  return row?.calls
}

test('a provider without a limit is asked without the store, and its calls are counted with what one of them brings', async () => {
  asked = []
  for (let call = 0; call < 3; call++) expect(await store.spendBudget(ask)).toBe('ok')
  expect(asked).toEqual([])

  await store.saveFetch(fetched({ slug: 'ada', number: 1 }))

  expect(asked).toEqual(['saveFetch'])
  expect(await callsOf(bare)).toBe(4)
})

test('who looks at the counts sees every call, also those that brought nothing', async () => {
  await store.spendBudget(ask)

  expect(await callsOf(store)).toBe(2)
})

test('a pause is obeyed at once, also where the provider is being asked meanwhile, until it is resumed', async () => {
  const meanwhile = store.spendBudget(ask)
  const paused = store.setProviderPaused({ ...pausing, paused: true })
  const during = store.spendBudget(ask)
  await Promise.all([meanwhile, paused, during])

  expect(await store.spendBudget(ask)).toBe('paused')
  expect(await store.spendBudget(ask)).toBe('paused')
  await store.setProviderPaused({ ...pausing, paused: false })
  expect(await store.spendBudget(ask)).toBe('ok')
})

test('a limit counts every call made before, also one that was made without it, and is never passed', async () => {
  await store.spendBudget(ask)

  const ends = await Promise.all(Array.from({ length: 10 }, () => store.spendBudget({ ...ask, limit: 5 })))

  expect(ends.filter((end) => end === 'ok')).toHaveLength(3)
  expect(await callsOf(bare)).toBe(5)
})
