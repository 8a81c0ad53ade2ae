import { expect, test, vi } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { openTestService, type TestService } from '../harness/test-service.ts'
import { expectProblem } from './provenance.ts'

const provider = { VITAE_UPSTREAM: 'mirror', VITAE_MIRROR_URL: 'http://127.0.0.1:1', VITAE_MIRROR_KEY: 'k' }

test('a call may take as long as one attempt of the slowest provider, unless the total is set', () => {
  const total = (env: Record<string, string>) => readConfig({ ...provider, ...env }).upstream.totalTimeoutMs

  expect(total({})).toBe(20_000)
  expect(total({ VITAE_MIRROR_TIMEOUT_MS: '70000' })).toBe(70_000)
  expect(total({ VITAE_UPSTREAM_TIMEOUT_MS: '45000' })).toBe(45_000)
  expect(total({ VITAE_HARVESTAPI_TIMEOUT_MS: '70000' })).toBe(20_000)
  expect(total({ VITAE_MIRROR_TIMEOUT_MS: '70000', VITAE_UPSTREAM_TOTAL_MS: '5000' })).toBe(5_000)
})

test('Bright Data has a minute for one attempt, unless another time is set', () => {
  const brightdata = { VITAE_UPSTREAM: 'brightdata', VITAE_BRIGHTDATA_KEY: 'k' }
  const times = (env: Record<string, string>) => {
    const { settings, totalTimeoutMs } = readConfig({ ...brightdata, ...env }).upstream
    return [settings.brightdata?.timeoutMs, totalTimeoutMs]
  }

  expect(times({})).toEqual([60_000, 60_000])
  expect(times({ VITAE_UPSTREAM_TIMEOUT_MS: '5000' })).toEqual([60_000, 60_000])
  expect(times({ VITAE_BRIGHTDATA_TIMEOUT_MS: '15000' })).toEqual([15_000, 20_000])
})

/** Each takes the 8 seconds of a real provider. */
const calls = [{ 'Idempotency-Key': 'slow-call' }, ...(process.env['VITAE_TEST_LONG'] ? [{}] : [])]

test.each(calls)(
  'a hold lives as long as its call, which is then billed once: %j',
  async (headers: Record<string, string>) => {
    const service = await openTestService({
      credits: 1,
      env: { VITAE_HOLD_SECONDS: '2', VITAE_MIRROR_TIMEOUT_MS: '60000' },
    })
    service.upstream.latencyMs = 8_000
    const call = service.person('slow-one', '', headers)
    await vi.waitFor(() => expect(service.upstream.requests).toHaveLength(1), { timeout: 300_000 })

    for (let seconds = 0; seconds < 5; seconds++) {
      service.clock.advance({ seconds: 1 })
      const now = service.clock.now()
      // Extended since the clock moved.
      await vi.waitFor(async () => expect(await holdEnd(service)).toBe(now + 2_000), { timeout: 300_000 })
      await service.service.store.credits.releaseHolds({ at: now, all: false })
      expect((await service.balance()).held).toBe(1)
    }

    expect((await call).status).toBe(200)
    expect(await service.balance()).toEqual({ balance: 0, held: 0, available: 0 })
  },
)

async function holdEnd(service: TestService): Promise<number | undefined> {
  const { store } = service.service
  const place = { project: 'acme', environment: 'production', limit: 1, before: null }
  const [entry] = await store.credits.creditHistory(place)
  const receipt = await store.credits.receipt({ requestId: entry?.requestId ?? '' })
  return receipt?.hold?.expiresAt
}

test('a provider that would use the whole time of a call leaves a part of it to the next one, which answers', async () => {
  const env = {
    ...{ VITAE_UPSTREAM: 'mirror,directory', VITAE_UPSTREAM_TOTAL_MS: '10000' },
    ...{ VITAE_MIRROR_TIMEOUT_MS: '60000', VITAE_COOLDOWN_SECONDS: '0' },
  }
  const service = await openTestService({ credits: 1, env })
  service.upstream.latencyMs = 60_000

  const answer = await service.person('amara-okafor')
  const call = await service.admin<{ attempts: object[] }>('GET', `/calls/${answer.headers.get('x-request-id')}`)

  expect([answer.status, answer.headers.get('x-credits-charged')]).toEqual([200, '1'])
  expect(call.attempts).toMatchObject([
    { provider: 'mirror', outcome: 'timeout' },
    { provider: 'directory', outcome: 'found' },
  ])
})

test("without a provider a live key gets 503 with the variable's name, a test key its sample, and the doctor says so", async () => {
  const service = await openTestService({ env: { VITAE_UPSTREAM: '' } })
  const test = await service.makeKey({ mode: 'test' })

  const live = await service.person('amara-okafor')
  expectProblem(live, 503, 'upstream_unavailable')
  expect(live.json['detail']).toContain('VITAE_UPSTREAM')
  expect((await service.person('amara-okafor', '', { ApiKey: test.key })).status).toBe(200)
  expect((await service.balance()).held).toBe(0)
  const { checks } = await service.admin<{ checks: { name: string; state: string; detail: string }[] }>(
    'GET',
    '/doctor',
  )
  expect(checks).toContainEqual(
    expect.objectContaining({ state: 'error', detail: expect.stringContaining('VITAE_UPSTREAM') }),
  )
})
