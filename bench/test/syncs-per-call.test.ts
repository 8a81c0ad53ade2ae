import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCountingService, type CountingService } from './counting-service.ts'
import { SyncCounter } from './sync-counter.ts'

// A sync takes milliseconds on some disks, so these tests count the syncs that a call waits for.

const counter = new SyncCounter()
let service: CountingService
beforeAll(async () => {
  service = await openCountingService({}, counter)
  await service.get('live', 'ada-example')
})
afterAll(() => service.close())

/**
 * The operations that a call may write. A background job can sync at the same time, but the call does not wait for it.
 */
const ofCalls = new Set(['credits.settle', 'records.saveFetch', 'lookups.saveAndSettle', 'callCounts.spendBudget'])

/** The operations in each sync that a call waits for. */
async function syncsOf(call: () => Promise<unknown>): Promise<string[][]> {
  const before = counter.synced.length
  await call()
  return counter.synced.slice(before).filter((names) => names.some((name) => ofCalls.has(name)))
}

test('a stored answer waits for one sync', async () => {
  expect(await syncsOf(() => service.get('live', 'ada-example'))).toEqual([['credits.settle']])
})

test('a miss waits for no sync before it calls the provider, and for one after the answer', async () => {
  let beforeAnswer: string[][] | null = null
  const before = counter.synced.length
  service.beforeMessage = (name) => {
    // Later messages may follow the call's own sync.
    if (name.includes('.save')) beforeAnswer ??= counter.synced.slice(before)
  }

  const syncs = await syncsOf(() => service.get('live', 'grace-example'))

  expect(beforeAnswer).toEqual([])
  expect(syncs).toEqual([['lookups.saveAndSettle']])
})

test('the rows of a batch wait for no sync: one sync writes many results at once', async () => {
  const before = counter.sharedSyncs

  await service.batch(['barbara-example', 'hedy-example', 'radia-example'])

  // Saving the batch's input takes one sync.
  expect(counter.sharedSyncs - before).toBe(1)
})
