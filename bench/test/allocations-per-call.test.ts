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
  // Compiled and warm, so that only what each call makes is counted.
  for (let call = 0; call < calls; call++) await service.get('test', 'ada-example')
  for (let call = 0; call < calls; call++) await service.get('live', 'ada-example')
  await service.get('limited', 'ada-example')
})
afterAll(() => service.close())

/**
 * The bytes of JavaScript objects made per call, by the service and by the little that sends the calls: less than half of what
 * each test allows, and more in a process that has run other tests, whose code is optimised less.
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

test('a test key makes at most 30 KB of objects per call', async () => {
  expect(await bytesPerCall(() => service.get('test', 'ada-example'))).toBeLessThan(30_000)
})

test('a hot store answer makes at most 60 KB of objects, with a settlement of its own', async () => {
  expect(await bytesPerCall(() => service.get('live', 'ada-example'))).toBeLessThan(60_000)
})

test('a call over the rate limit makes at most 30 KB of objects', async () => {
  expect(await bytesPerCall(() => service.get('limited', 'ada-example', 429))).toBeLessThan(30_000)
})
