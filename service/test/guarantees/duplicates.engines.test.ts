import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../harness/test-service.ts'
import { askOnce, connections, type Answer } from './impatient-caller.ts'

const isLong = process.env['VITAE_TEST_LONG'] !== undefined
const values = isLong ? 2_000 : 20
const duplicates = isLong ? 20 : 10
const valuesAtOnce = 10
const timeout = 600_000 + values * duplicates * 60
const patient = new AbortController().signal
let service: TestService

beforeAll(async () => {
  // A fetch whose caller hung up counts as unknown record, and these callers hang up more often than normally allowed.
  const env = { VITAE_RATE_LIMIT: '10000000/60s', VITAE_NOT_FOUND_RATE: '10000000/60s' }
  service = await startTestService({ env })
  service.upstream.latencyMs = 3
})
afterAll(async () => {
  connections.destroy()
  await service.close()
})

/** One of many duplicates. Every third loses its connection at a random moment, and retries until it is answered. */
async function ask(key: string, value: number, duplicate: number): Promise<Answer> {
  const bypass = value % 2 ? '&bypass_cache=true' : ''
  const url = `${service.url}/v1/people/profile?profile_id=duplicated-${value}${bypass}`
  const headers = { ApiKey: key, 'Idempotency-Key': `value-${value}` }
  const first = duplicate % 3 === 0 ? AbortSignal.timeout(1 + Math.floor(Math.random() * 20)) : patient
  for (let signal = first; ; signal = patient) {
    const answer = await askOnce(url, headers, signal)
    if (answer && answer.status !== 409) return answer
  }
}

async function askAll(key: string, value: number): Promise<Answer[]> {
  return Promise.all(Array.from({ length: duplicates }, (_, duplicate) => ask(key, value, duplicate)))
}

test(
  `${values} values x ${duplicates} concurrent duplicates, some cut off and retried: one charge each, identical bodies`,
  { timeout },
  async () => {
    const one = await service.newCaller(values)
    const other = await service.newCaller(values)

    for (let start = 0; start < values; start += valuesAtOnce) {
      const batch = Array.from({ length: valuesAtOnce }, (_, index) => start + index)
      const answers = await Promise.all(
        batch.map(async (value) => ({ mine: await askAll(one.key, value), theirs: await askAll(other.key, value) })),
      )
      for (const { mine, theirs } of answers) expectOneCharge(mine, theirs)
      expect([await one.balance(), await other.balance()]).toEqual([
        values - start - valuesAtOnce,
        values - start - valuesAtOnce,
      ])
    }
    expect(await service.admin('GET', '/ledger/verify')).toMatchObject({ ok: true, differences: [] })
  },
)

/** The paid answer may have gone to a caller who was cut off, so that nobody saw the charge. */
function expectOneCharge(mine: readonly Answer[], theirs: readonly Answer[]): void {
  for (const answers of [mine, theirs]) {
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1)
    expect(answers.filter(({ charged }) => charged === '1').length).toBeLessThanOrEqual(1)
    for (const { charged, replayed } of answers) expect(charged).toBe(replayed ? '0' : '1')
  }
}
