import { afterAll, beforeAll, expect, test } from 'vitest'
import { contractPerson } from '../../../fake-provider/contract-person.ts'
import type { FakeProvider } from '../../../fake-provider/fake-provider.ts'
import { startFakeProvider } from '../../../fake-provider/start-fake-provider.ts'
import { priceOf } from '../../../src/providers/chain/money.ts'
import { startTestService, type TestService } from '../../harness/test-service.ts'

interface Scorecard {
  currency: string
  providers: {
    provider: string
    kind: string
    faults: Record<string, number>
    fill_rate: Record<string, number>
    alone: string[]
    [figure: string]: unknown
  }[]
  disagreements: {
    kind: string
    providers: string[]
    records: number
    fields: { field: string; compared: number; differ: number }[]
    examples: string[]
  }[]
}

let service: TestService
let second: FakeProvider

beforeAll(async () => {
  second = await startFakeProvider({ provider: 'harvestapi' })
  const ada = contractPerson('ada')
  const thin = { ...contractPerson('quiet'), headline: null, experience: [], education: [], summary: null }
  service = await startTestService({
    people: { ada: { ...ada, headline: 'Keeper of clocks' }, quiet: thin, nobody: null },
    env: {
      VITAE_UPSTREAM: 'mirror,harvestapi',
      VITAE_CHAIN_ON_NOT_FOUND: 'false',
      VITAE_HARVESTAPI_URL: second.url,
      VITAE_HARVESTAPI_KEY: second.key,
      VITAE_MIRROR_COST: '0.07',
      VITAE_CURRENCY: 'EUR',
    },
  })
  for (const id of ['ada', 'quiet', 'nobody']) await service.person(id)
  await service.person('ada')
  await service.upstream.setFault(401)
  await service.person('ada', '&bypass_cache=true')
  await service.upstream.setFault(null)
  service.clock.advance({ days: 2 })
})
afterAll(async () => {
  await service?.close()
  await second?.close()
})

const scorecard = (range = 'month') => service.admin<Scorecard>('GET', `/providers/scorecard?range=${range}`)
const scoreOf = async (provider: string, kind = 'people') =>
  (await scorecard()).providers.find((score) => score.provider === provider && score.kind === kind)

test('each provider is rated by its calls, finds, failures and cost', async () => {
  expect(await scoreOf('mirror')).toMatchObject({
    ...{ calls: 4, found: 2, not_found: 1, thin: 1, usable: 1, faults: { rejected: 1 } },
    ...{ money: 0.21, money_unit: 'EUR', money_per_call: 0.0525, money_per_usable_record: 0.21 },
    p50_ms: expect.any(Number),
  })
  expect((await scorecard()).currency).toBe('EUR')
})

test('without a price the credits that a provider reports are counted, and nothing if it reports none', async () => {
  expect(await scoreOf('harvestapi')).toMatchObject({ calls: 1, found: 1, money: 1, money_unit: 'credits' })
  expect(await scoreOf('harvestapi', 'companies')).toMatchObject({ calls: 0, money: null, money_per_call: null })
})

test('fill rates show for every field the share of records with a value, and fields that only one provider fills', async () => {
  const mirror = await scoreOf('mirror')
  const other = await scoreOf('harvestapi')

  expect(mirror).toMatchObject({ records_read: 2, fill_rate: { first_name: 1, headline: 0.5 } })
  expect(mirror?.fill_rate['experience.positions.title']).toBe(0.5)
  expect(mirror?.alone.length).toBeGreaterThan(0)
  for (const field of mirror?.alone ?? []) expect([field, other?.fill_rate[field]]).toEqual([field, 0])
})

test('records that two providers know show their disagreements; a missing value is not one', async () => {
  const { disagreements } = await scorecard()
  const [found] = disagreements

  expect(found).toMatchObject({ kind: 'people', providers: ['harvestapi', 'mirror'], records: 1 })
  expect(found?.fields).toContainEqual({ field: 'headline', compared: 1, differ: 1 })
  expect(found?.fields.map(({ field }) => field)).not.toContain('first_name')
  expect(found?.examples).toHaveLength(1)
})

test('only the chosen period counts', async () => {
  const { providers, disagreements } = await scorecard('day')

  expect(providers.map(({ calls }) => calls)).toEqual([0, 0, 0, 0])
  expect(disagreements).toEqual([])
})

test('prices are multiplied without floating-point errors', () => {
  expect([priceOf(0.07, 3), priceOf(0.1, 3), priceOf(0.000001, 7), priceOf(12.5, 1_000_000)]).toEqual([
    0.21, 0.3, 0.000007, 12_500_000,
  ])
})
