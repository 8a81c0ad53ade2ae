import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestAnswer, type TestService } from '../harness/test-service.ts'

const rounds = process.env['VITAE_TEST_LONG'] ? 1_000 : 6
/** For the test with several limits: enough rounds for each to be the lowest once. */
const limitRounds = process.env['VITAE_TEST_LONG'] ? 1_000 : 3
const callers = 64
const timeout = 600_000 + rounds * 4_000
const stored = ['stored-1', 'stored-2', 'stored-3']
let service: TestService

beforeAll(async () => {
  service = await startTestService({ env: { VITAE_RATE_LIMIT: '10000000/60s' } })
  for (const id of stored) await service.person(id)
})
afterAll(() => service.close())

/** Concurrent store answers, separate fetches, shared fetches, and calls with an Idempotency-Key. */
function rush(keys: readonly string[], round: number): Promise<TestAnswer[]> {
  service.upstream.requests.length = 0
  return Promise.all(
    Array.from({ length: callers }, (_, index) => {
      const keyed: Record<string, string> = index % 2 ? { 'Idempotency-Key': `rush-${round}-${index}` } : {}
      const headers = { ApiKey: keys[Math.floor(index / 4) % keys.length] ?? '', ...keyed }
      if (index % 4 === 0) return service.person(`fresh-${round}-${index}`, '', headers)
      if (index % 4 === 1) return service.person(`shared-${round}`, '', headers)
      return service.person(stored[index % stored.length] ?? '', index % 8 === 3 ? '&bypass_cache=true' : '', headers)
    }),
  )
}

function expectExactly(answers: readonly TestAnswer[], credits: number, refusal: string): void {
  const paid = answers.filter(({ status }) => status === 200)
  const refused = answers.filter(({ status, text }) => status === 402 && text === refusal)
  expect({ paid: paid.length, refused: refused.length }).toEqual({ paid: credits, refused: callers - credits })
  for (const { headers } of paid) expect(headers.get('x-credits-charged')).toBe('1')
  // No call asks the provider with credits that another one holds.
  expect(service.upstream.requests.length).toBeLessThanOrEqual(credits)
}

test(
  `${callers} concurrent callers on an environment with few credits get exactly those, in ${rounds} rounds`,
  { timeout },
  async () => {
    for (let round = 0; round < rounds; round++) {
      const credits = 1 + (round % 9)
      const { key, project } = await service.newCaller(credits)

      expectExactly(await rush([key], round), credits, 'out_of_credits')
      expect(await service.balance('production', project)).toEqual({ balance: 0, held: 0, available: 0 })
    }
  },
)

test(`${callers} concurrent callers never exceed a low ceiling, in ${rounds} rounds`, { timeout }, async () => {
  for (let round = 0; round < rounds; round++) {
    const ceiling = round % 9
    const { key, balance } = await service.newCaller(1_000, { ceiling })

    expectExactly(await rush([key], rounds + round), ceiling, 'credit_ceiling_reached')
    expect(await balance()).toBe(1_000 - ceiling)
  }
  expect(await service.admin('GET', '/ledger/verify')).toMatchObject({ ok: true, differences: [] })
})

test(
  `${callers} concurrent callers never exceed ceilings and a budget close to each other, in ${limitRounds} rounds`,
  { timeout },
  async () => {
    for (let round = 0; round < limitRounds; round++) {
      const turn = round + 3
      const [daily, monthly, budget] = [4 + (turn % 3), 4 + (turn % 5), 4 + (turn % 4)]
      const caller = await service.newCaller(1_000, { ceiling: monthly, daily_ceiling: daily })
      const successor = await service.admin<{ key: string }>('POST', `/keys/${caller.keyId}/rotate`, { overlap: '1h' })
      const environment = { project: caller.project, environment: 'production' }
      await service.admin('POST', '/credits/budgets', { ...environment, monthly: budget })

      const answers = await rush([caller.key, successor.key], 2 * rounds + round)

      const own = Math.min(daily, monthly)
      expectExactly(answers, Math.min(own, budget), own <= budget ? 'credit_ceiling_reached' : 'out_of_credits')
      expect(await caller.balance()).toBe(1_000 - Math.min(own, budget))
    }
    expect(await service.admin('GET', '/ledger/verify')).toMatchObject({ ok: true, differences: [] })
  },
)
