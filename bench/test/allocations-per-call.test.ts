import { Session } from 'node:inspector/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCountingService, type CountingService } from './counting-service.ts'

interface Allocated {
  selfSize: number
  children: Allocated[]
}

const calls = 100

let service: CountingService
beforeAll(async () => {
  service = await openCountingService()
  // Warm up, so that only allocations of the calls themselves are counted.
  for (let call = 0; call < calls; call++) await service.get('test', 'ada-example')
  for (let call = 0; call < calls; call++) await service.get('live', 'ada-example')
  await service.get('limited', 'ada-example')
})
afterAll(() => service.close())

/**
 * Bytes of JavaScript objects allocated per call, by the service and by the small test client. Usually less than half
 * of each test's limit, but more after other tests in the same process, because their code is optimised less.
 */
async function bytesPerCall(call: () => Promise<unknown>): Promise<number> {
  const session = new Session()
  session.connect()
  await session.post('HeapProfiler.startSampling', {
    samplingInterval: 128,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  })
  for (let index = 0; index < calls; index++) await call()
  const { profile } = await session.post('HeapProfiler.stopSampling')
  session.disconnect()
  return sizeOf(profile.head) / calls
}

function sizeOf({ selfSize, children }: Allocated): number {
  return selfSize + children.reduce((sum, child) => sum + sizeOf(child), 0)
}

test('a test key allocates at most 30 KB of objects per call', async () => {
  expect(await bytesPerCall(() => service.get('test', 'ada-example'))).toBeLessThan(30_000)
})

test('a hot store answer allocates at most 60 KB of objects, including its own settlement', async () => {
  expect(await bytesPerCall(() => service.get('live', 'ada-example'))).toBeLessThan(60_000)
})

test('a call over the rate limit allocates at most 30 KB of objects', async () => {
  expect(await bytesPerCall(() => service.get('limited', 'ada-example', 429))).toBeLessThan(30_000)
})
