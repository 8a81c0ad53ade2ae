import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../harness/test-service.ts'
import { caches, startCache, type RunningCache } from './shared-cache.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService({ realClock: true })
})
afterAll(() => service.close())

describe.each(caches)('behind $name, which caches eagerly', (cache) => {
  let running: RunningCache | null = null

  beforeAll(async () => {
    running = cache.isInstalled() ? await startCache(cache, service.url) : null
    if (!running)
      console.warn(`NOT RUN: tests behind ${cache.name}, because there is no ${cache.binary} on this machine`)
  })
  afterAll(() => running?.stop())

  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${running?.url}${path}`, { headers })
    return { status: response.status, text: await response.text(), headers: response.headers }
  }

  test('no key gets the answer of another, and a call without a key gets none', async ({ skip }) => {
    if (!running) return skip()
    const paid = await service.newCaller(10)
    const poor = await service.newCaller(0)
    const { key: sample } = await service.makeKey({ mode: 'test' })
    const path = '/v1/people/profile?profile_id=behind-a-cache'

    for (let turn = 0; turn < 3; turn++) {
      const answer = await ask(path, { ApiKey: paid.key })
      expect([answer.status, answer.headers.get('x-credits-charged')]).toEqual([200, '1'])
      expect(await ask(path)).toMatchObject({ status: 401, text: 'missing_api_key' })
      expect(await ask(path, { ApiKey: 'nonsense' })).toMatchObject({ status: 401, text: 'invalid_api_key' })
      expect(await ask(path, { ApiKey: poor.key })).toMatchObject({ status: 402, text: 'out_of_credits' })
      const fictional = await ask(path, { ApiKey: sample })
      expect(fictional.status).toBe(200)
      expect(fictional.headers.get('x-credits-charged')).toBeNull()
    }
    expect(await paid.balance()).toBe(7)
  })

  test('a refusal is not cached: a call after a 401, a 404 or a 402 is answered by the service again', async ({
    skip,
  }) => {
    if (!running) return skip()
    const caller = await service.newCaller(0)
    const path = '/v1/companies/details?company_id=kept-refusals'

    expect((await ask(path)).status).toBe(401)
    expect((await ask(path, { ApiKey: caller.key })).status).toBe(402)
    await service.grant(1, 'production', caller.project)
    expect((await ask(path, { ApiKey: caller.key })).status).toBe(200)
  })

  test('the cache does cache what it may', async ({ skip }) => {
    if (!running) return skip()
    // Otherwise the other tests would pass behind anything.
    await ask('/kept')
    await ask('/kept')
    await ask('/kept')
    expect(running.hits()).toBe(1)
  })
})
