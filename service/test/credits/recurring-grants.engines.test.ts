import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../harness/test-service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ env: { VITAE_RATE_LIMIT: '100000/60s' } })
})
afterAll(() => service.close())

async function environment(monthly: number | null, carryOver: boolean) {
  const { project, key } = await service.newCaller(0)
  const name = { project, environment: 'production' }
  const set = (credits: number | null) =>
    service.admin('POST', '/credits/recurring', { ...name, monthly: credits, carry_over: carryOver })
  await set(monthly)
  const entries = async () => {
    const { entries: list } = await service.admin<{ entries: { reason: string; change: number }[] }>(
      'GET',
      `/credits/history?project=${project}&environment=production&only=grants`,
    )
    return list.map(({ reason, change }) => `${change} ${reason}`).toReversed()
  }
  const balance = async () => (await service.balance('production', project)).balance
  return { key, project, set, entries, balance }
}

async function due(): Promise<string[]> {
  for (;;) {
    const { granted, left } = await service.service.store.grants.grantDueMonths({ at: service.clock.now() })
    if (granted === 0) return left
  }
}

test('each month is granted once on its 1st: by several nodes at once, after a long downtime, and with the clock set back', async () => {
  service.clock.set('2027-01-17T12:00:00Z')
  const { balance, entries } = await environment(5, true)
  await due()
  expect(await balance()).toBe(0)
  service.clock.set('2027-01-31T23:59:59.999Z')
  await due()
  expect(await balance()).toBe(0)
  service.clock.set('2027-02-01T00:00:00Z')
  await Promise.all([due(), due(), due()])
  expect(await balance()).toBe(5)
  service.clock.set('2027-01-20T00:00:00Z')
  await due()
  service.clock.set('2027-02-02T00:00:00Z')
  await due()
  expect(await balance()).toBe(5)
  service.clock.set('2027-05-09T00:00:00Z')
  await due()
  expect(await entries()).toEqual(['02', '03', '04', '05'].map((month) => `5 recurring credits of 2027-${month}`))
  expect(await balance()).toBe(20)
  expect(await service.admin('GET', '/ledger/verify')).toMatchObject({ ok: true })
})

test('without carry-over the unspent rest of a month expires, and other credits stay', async () => {
  service.clock.set('2028-01-10T12:00:00Z')
  const { key, project, balance, entries } = await environment(5, false)
  service.clock.set('2028-02-01T00:00:00Z')
  await due()
  for (const slug of ['lapse-one', 'lapse-two']) await service.person(slug, '', { ApiKey: key })
  service.clock.set('2028-03-01T00:00:00Z')
  await due()
  expect(await entries()).toEqual([
    '5 recurring credits of 2028-02',
    '-3 recurring credits of 2028-02 that were not spent',
    '5 recurring credits of 2028-03',
  ])
  expect(await balance()).toBe(5)
  expect(await service.admin('GET', `/statement?project=${project}&month=2028-03`)).toMatchObject({
    ...{ opening_balance: 3, granted: 5, lapsed: 3, charged: 0, corrected: 0, closing_balance: 5 },
  })
})

test('a change applies from the next 1st, earlier months keep the old amount, and after a removal nothing is granted later', async () => {
  service.clock.set('2029-01-10T12:00:00Z')
  const { set, entries } = await environment(5, true)
  service.clock.set('2029-02-03T00:00:00Z')
  await set(7)
  service.clock.set('2029-03-01T00:00:00Z')
  await due()
  await set(null)
  service.clock.set('2029-06-01T00:00:00Z')
  await due()
  await set(9)
  await due()
  service.clock.set('2029-07-01T00:00:00Z')
  await due()
  expect(await entries()).toEqual([
    '5 recurring credits of 2029-02',
    '7 recurring credits of 2029-03',
    '9 recurring credits of 2029-07',
  ])
})

test('a clock that is years ahead grants nothing', async () => {
  service.clock.set('2031-01-10T12:00:00Z')
  const { balance } = await environment(5, true)
  service.clock.set('2041-01-10T12:00:00Z')
  const left = await due()
  expect(left.length).toBeGreaterThan(0)
  expect(await balance()).toBe(0)
})
