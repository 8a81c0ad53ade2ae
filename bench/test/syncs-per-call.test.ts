import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCountingService, type CountingService } from './counting-service.ts'
import { SyncCounter } from './sync-counter.ts'

// A sync takes milliseconds on some disks, whatever the machine: what a call may wait for is counted.

const counter = new SyncCounter()
let service: CountingService
beforeAll(async () => {
  service = await openCountingService({}, counter)
  await service.get('live', 'ada-example')
})
afterAll(() => service.close())

async function syncsOf(call: () => Promise<unknown>): Promise<number> {
  const before = counter.syncs
  await call()
  return counter.syncs - before
}

test('a stored answer waits for one sync', async () => {
  expect(await syncsOf(() => service.get('live', 'ada-example'))).toBe(1)
})

test('a miss waits for no sync before the provider is asked, and for one after it has answered', async () => {
  let beforeAnswer = 0
  service.beforeMessage = (name) => {
    if (name.startsWith('saveFetch')) beforeAnswer = counter.syncs
  }
  const start = counter.syncs

  const syncs = await syncsOf(() => service.get('live', 'grace-example'))

  expect(beforeAnswer - start).toBe(0)
  expect(syncs).toBe(1)
})

test('the rows of a batch wait for no sync: their results are written with one, many at once', async () => {
  const before = counter.sharedSyncs

  await service.batch(['barbara-example', 'hedy-example', 'radia-example'])

  // Saving its input takes one.
  expect(counter.sharedSyncs - before).toBe(1)
})
