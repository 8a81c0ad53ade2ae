import { expect, onTestFinished, test } from 'vitest'
import { contractPerson } from '../../fake-provider/contract-person.ts'
import { startFakeProvider } from '../../fake-provider/start-fake-provider.ts'
import { notifyOfDrift } from '../../src/app/jobs/event-jobs.ts'
import { grantRecurringJob } from '../../src/app/jobs/grant-recurring.ts'
import { sumFinishedDays } from '../../src/lifecycle/retention/sum-days.ts'
import { onPostgres } from '../harness/engines.ts'
import { logTo, openTestService, type TestService } from '../harness/test-service.ts'

interface Score {
  provider: string
  kind: string
  days: { day: string; answers: number; rates: Record<string, number> }[]
  drifted: { unit: string; usual: number; now: number }[]
}

/** A service with two providers: names that begin with "second" are known to the other one alone. */
async function openPair(): Promise<TestService> {
  const second = await startFakeProvider({ provider: 'harvestapi' })
  onTestFinished(() => second.close())
  return openTestService({
    env: {
      VITAE_UPSTREAM: 'mirror,harvestapi',
      VITAE_HARVESTAPI_URL: second.url,
      VITAE_HARVESTAPI_KEY: second.key,
    },
  })
}

/** Which days are judged is decided above the store, so one engine is enough. */
const isShort = onPostgres && !process.env['VITAE_TEST_LONG']
let asked = 0

/** Fetches people for the first time, from the first provider: without a headline if it `lacks` it. */
async function ask(service: TestService, count: number, { lacks = false, isSecond = false } = {}): Promise<void> {
  const ids = Array.from({ length: count }, () => `${isSecond ? 'second' : 'first'}-${(asked += 1)}`)
  for (const id of ids) {
    const record = { ...contractPerson(id), headline: lacks ? null : 'Reads tides' }
    service.upstream.people.set(id, isSecond ? null : record)
  }
  // In groups, because a busy machine refuses a hundred first fetches at once.
  for (let from = 0; from < count; from += 20) {
    const answers = await Promise.all(ids.slice(from, from + 20).map((id) => service.person(id)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  }
}

const look = ({ service }: TestService) => notifyOfDrift(service)

/** Three days of 40 answers each, summed as days that are over. */
async function usualDays(service: TestService, isSecond = false): Promise<void> {
  for (let day = 0; day < 3; day++) {
    await ask(service, 40)
    if (isSecond) await ask(service, 40, { isSecond })
    service.clock.advance({ days: 1 })
  }
  await sumFinishedDays(service.service)
}

async function drifts(service: TestService): Promise<Record<string, unknown>[]> {
  const { json } = await service.get('/v1/events?type=provider.drifted', { ApiKey: service.liveKey })
  return (json as { events: { data: Record<string, unknown> }[] }).events.map(({ data }) => data)
}

async function attention(service: TestService): Promise<string[]> {
  const overview = await service.admin<{ attention: { kind: string; id?: string; detail: string }[] }>(
    'GET',
    '/overview',
  )
  return overview.attention.filter(({ detail }) => detail.includes('lack fields')).map(({ id }) => id ?? '')
}

async function finding(service: TestService): Promise<unknown> {
  const { checks } = await service.admin<{ checks: { name: string }[] }>('GET', '/doctor')
  return checks.find(({ name }) => name === 'fill rates')
}

test('a unit that falls below half of its usual rate is notified once, shown everywhere, and gone when it is back', async () => {
  const service = await openPair()
  await usualDays(service, true)
  await ask(service, 60, { lacks: true })
  await ask(service, 60, { isSecond: true })
  await look(service)
  await look(service)

  const [event, ...more] = await drifts(service)
  expect(more).toEqual([])
  expect(event).toEqual({
    ...{ provider: 'mirror', kind: 'people', day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), answers: 60 },
    units: [{ unit: 'headline', usual: 1, now: 0 }],
  })
  expect(await attention(service)).toEqual(['mirror'])
  expect(await finding(service)).toMatchObject({
    state: 'warning',
    detail: 'mirror, people: headline 0 % (usually 100 %)',
  })
  const { providers } = await service.admin<{ providers: Score[] }>('GET', '/providers/scorecard')
  const scoreOf = (name: string) => providers.find(({ provider, kind }) => provider === name && kind === 'people')
  expect(scoreOf('mirror')?.drifted).toEqual(event?.['units'])
  expect(scoreOf('mirror')?.days.map(({ answers, rates }) => [answers, rates['headline'] ?? 0])).toEqual([
    ...[40, 40, 40].map((answers) => [answers, 1]),
    [60, 0],
  ])
  expect(scoreOf('harvestapi')?.drifted).toEqual([])
  expect(scoreOf('harvestapi')?.days).toHaveLength(4)

  service.clock.advance({ days: 1 })
  await ask(service, 60)
  await look(service)
  expect(await attention(service)).toEqual([])
  expect(await finding(service)).toMatchObject({ state: 'ok' })
  expect(await drifts(service)).toHaveLength(1)
})

test('the whole day is judged when it is over, also where nobody looked while it lasted', async () => {
  const service = await openTestService()
  await usualDays(service)
  await ask(service, 60, { lacks: true })
  service.clock.advance({ days: 1, hours: 2 })
  await sumFinishedDays(service.service)

  expect(await drifts(service)).toHaveLength(1)
  await look(service)
  expect(await attention(service)).toEqual(['mirror'])
})

test.skipIf(isShort)('a provider with few days, or few answers, raises nothing', async () => {
  const service = await openTestService()
  for (const [count, lacks] of [
    [100, false],
    [50, true],
    [1, false],
    [49, true],
  ] as const) {
    await ask(service, count, { lacks })
    await look(service)
    expect([await drifts(service), await attention(service)]).toEqual([[], []])
    service.clock.advance({ days: 1 })
  }
})

test.skipIf(isShort)(
  'a clock that jumps ahead and back notifies of nothing, and the true day is judged after it',
  async () => {
    const service = await openTestService()
    const { store } = service.service
    await usualDays(service)
    const clock = grantRecurringJob({ store, clock: service.clock, log: logTo(undefined) })
    await clock.run()
    const now = new Date(service.clock.now()).toISOString()
    await ask(service, 60)
    service.clock.set('2027-03-01T12:00:00Z')
    await clock.run()
    await ask(service, 60, { lacks: true })
    await sumFinishedDays(service.service)
    await look(service)
    expect(await drifts(service)).toEqual([])

    service.clock.set(now)
    await clock.run()
    await clock.run()
    await sumFinishedDays(service.service)
    await look(service)
    expect(await drifts(service)).toEqual([])
    await ask(service, 90, { lacks: true })
    await look(service)
    expect(await drifts(service)).toHaveLength(1)
    expect(await attention(service)).toEqual(['mirror'])
  },
)
