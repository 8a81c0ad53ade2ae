import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { FakeProvider } from '../../fake-provider/fake-provider.ts'
import { startFakeProvider } from '../../fake-provider/start-fake-provider.ts'
import { startTestService, type TestAnswer, type TestService } from '../harness/test-service.ts'
import { expectProblem } from './provenance.ts'

interface Explained {
  attempts: { provider: string; outcome: string; cost: number | null; duration_ms: number }[]
  currency: string
}

let second: FakeProvider
let service: TestService
const asked = () => [service.upstream.requests.length, second.requests.length]
const explain = (answer: TestAnswer) =>
  service.admin<Explained>('GET', `/calls/${answer.headers.get('x-request-id') ?? ''}`)
const costs = async (answer: TestAnswer) =>
  (await explain(answer)).attempts.map(({ provider, outcome, cost }) => [provider, outcome, cost])

beforeAll(async () => {
  second = await startFakeProvider({ provider: 'harvestapi' })
  service = await startTestService({
    env: {
      VITAE_UPSTREAM: 'mirror,harvestapi',
      VITAE_MIRROR_COST: '0.1',
      VITAE_HARVESTAPI_URL: second.url,
      VITAE_HARVESTAPI_KEY: second.key,
      VITAE_HARVESTAPI_COST: '0.2',
      VITAE_MAX_COST_PER_CALL: '0.25',
      VITAE_CURRENCY: 'EUR',
      VITAE_BREAKER_FAILURES: '1000000',
      VITAE_COOLDOWN_SECONDS: '0',
    },
  })
})
afterAll(async () => {
  await service?.close()
  await second?.close()
})
beforeEach(async () => {
  await service.upstream.setFault(null)
  await second.setFault(null)
  service.upstream.requests.length = 0
  second.requests.length = 0
})

test('after a paid "not found" a provider that would exceed the cap is not asked: the answer is a 404 that withdraws nothing', async () => {
  await service.person('capped')
  service.upstream.people.set('capped', null)
  const missed = await service.person('capped', '&bypass_cache=true')

  expectProblem(missed, 404, 'not_found')
  expect(asked()).toEqual([2, 0])
  expect(await costs(missed)).toEqual([
    ['mirror', 'not_found', 0.1],
    ['harvestapi', 'not_asked', 0],
  ])
  expect((await service.person('capped')).headers.get('x-data-source')).toBe('store')
  const receipt = await service.get(`/v1/receipts/${missed.headers.get('x-request-id')}`, { ApiKey: service.liveKey })
  expect(receipt.json['providers']).toEqual([
    { name: 'mirror', outcome: 'not_found' },
    { name: 'harvestapi', outcome: 'not_asked' },
  ])
})

test('an unbilled failure leaves the cap to the next provider, and a possibly billed one does not', async () => {
  await service.upstream.setFault(401)
  const free = await service.person('not-billed')
  expect(free.status).toBe(200)
  expect(await costs(free)).toEqual([
    ['mirror', 'rejected', 0],
    ['harvestapi', 'found', 0.2],
  ])

  await service.upstream.setFault('malformed')
  const billed = await service.person('billed')
  expectProblem(billed, 502, 'upstream_invalid')
  expect(await costs(billed)).toEqual([
    ['mirror', 'invalid', 0.1],
    ['harvestapi', 'not_asked', 0],
  ])
})

test('retries count: a broken connection is not retried beyond the cap', async () => {
  await service.upstream.setFault('reset')
  const failed = await service.person('cut-off')

  expectProblem(failed, 503, 'upstream_unavailable')
  expect(asked()).toEqual([2, 0])
  expect(await explain(failed)).toMatchObject({
    currency: 'EUR',
    attempts: [
      { provider: 'mirror', outcome: 'unavailable', cost: 0.2 },
      { provider: 'harvestapi', outcome: 'not_asked', cause: expect.stringContaining('VITAE_MAX_COST_PER_CALL') },
    ],
  })
})

test('scorecard and dry run use the figures of the receipts', async () => {
  const spent = async () => {
    const { providers } = await service.admin<{ providers: { provider: string; kind: string; money: number }[] }>(
      'GET',
      '/providers/scorecard?range=month',
    )
    return providers.find(({ provider, kind }) => provider === 'mirror' && kind === 'people')?.money ?? 0
  }
  // Calls at this very moment are not in its period.
  service.clock.advance({ seconds: 1 })
  const before = await spent()
  await service.upstream.setFault('reset')
  await service.person('cut-off-again')
  service.clock.advance({ seconds: 1 })

  expect((await spent()) - before).toBeCloseTo(0.2, 6)
  const dry = await service.admin('GET', '/lookup/people?id=never-asked&dry_run=true')
  expect(dry).toMatchObject({ provider_cost_at_most: 0.25 })
})
