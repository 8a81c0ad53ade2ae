import type { Watch, WatchList } from '@vitae/contract'
import { expect, test } from 'vitest'
import { grantRecurringJob } from '../../src/app/jobs/grant-recurring.ts'
import { bringBackWatches, runDueWatches } from '../../src/watches/run-watches.ts'
import { BatchCaller } from '../batches/batch-caller.ts'
import { openTestService, type TestService } from '../harness/test-service.ts'

/** Sets the service's clock ahead, and returns a function that sets it right. */
async function setAhead({ clock, service }: TestService, days: number): Promise<() => void> {
  const before = clock.now()
  clock.set(new Date(before + days * 86_400_000).toISOString())
  await service.store.database.makePartitions({ now: clock.now() })
  return () => clock.set(new Date(before).toISOString())
}

test('setting the clock forward does not renew a rate limit; passing time does', async () => {
  const service = await openTestService()
  const { key } = await service.newCaller(9, { rate: '2/60s' })
  const call = async () => (await service.person('ada', '', { ApiKey: key })).status
  const statuses = [await call(), await call(), await call()]

  await setAhead(service, 0.01)
  statuses.push(await call())
  service.clock.advance({ seconds: 60 })
  statuses.push(await call())

  expect(statuses).toEqual([200, 200, 429, 429, 200])
})

test('watches created and refreshed while the clock was a month ahead are refreshed when it is right again', async () => {
  const service = await openTestService()
  const { key, balance } = await service.newCaller(9)
  const headers = { ApiKey: key, 'content-type': 'application/json' }
  const add = async (id: string) =>
    (await service.get('/v1/watches', headers, 'POST', JSON.stringify({ kind: 'people', id }))).json as unknown as Watch
  const due = async () => {
    await bringBackWatches(service.service)
    await runDueWatches(service.service, 4)
  }
  const setRight = await setAhead(service, 30)
  await add('ada-seen')
  await due()
  await add('grace-new')
  await add('emmy-new')
  setRight()

  const { next_due_at: next } = await add('later-new')
  service.clock.advance({ seconds: 5 })
  await due()

  const { watches } = (await service.get('/v1/watches', headers)).json as unknown as WatchList
  expect(Date.parse(String(next))).toBeLessThanOrEqual(service.clock.now())
  expect(watches.filter(({ last_checked_at: at }) => Date.parse(String(at)) === service.clock.now()).length).toBe(4)
  expect(await balance()).toBe(4)
})

test('a batch that was paused while the clock was ahead resumes when it is right again', async () => {
  const service = await openTestService()
  const { key, project } = await service.newCaller(0)
  const batches = new BatchCaller(service.url, key)
  const setRight = await setAhead(service, 0.25)
  const id = await batches.submit({ kind: 'people', ids: ['ada'] })
  await batches.until(id, ({ status }) => status === 'paused')

  setRight()
  await service.grant(5, 'production', project)
  const batch = await batches.until(id, ({ status }) => status === 'completed')

  expect(batch.credits_spent).toBe(1)
})

test('a hold placed while the clock was ahead is released when its process is gone and the clock is right', async () => {
  const service = await openTestService()
  const { key, keyId, project } = await service.newCaller(5)
  const { lookup, keyCache, store } = service.service
  const { environmentId } = await keyCache.find(key)
  const setRight = await setAhead(service, 0.25)
  const at = service.clock.now()
  const hold = { type: 'hold', requestId: 'req_lost', keyId, environmentId, idempotency: null } as const
  await lookup.settle({ ...hold, at, amount: 2, expiresAt: at + 60_000 })
  setRight()

  await store.credits.releaseHolds({ at: service.clock.now(), all: false, longestMs: 120_000 })

  expect(await service.balance('production', project)).toMatchObject({ balance: 5, held: 0 })
})

test('a record fetched while the clock was ahead is fetched once more when it is right, and is then fresh as long as any other', async () => {
  const service = await openTestService()
  const { key } = await service.newCaller(20)
  const call = async () => (await service.person('ada-ahead', '', { ApiKey: key })).headers.get('x-data-source')
  const missed = async () => (await service.person('missing-ahead', '', { ApiKey: key })).status
  const setRight = await setAhead(service, 60)
  const sources = [await call()]
  const statuses = [await missed()]
  const asked = service.upstream.requests.length
  setRight()

  sources.push(await call(), await call())
  statuses.push(await missed(), await missed())

  expect(sources).toEqual(['live', 'live', 'store'])
  expect(statuses).toEqual([404, 404, 404])
  expect(service.upstream.requests.length).toBe(asked + 2)
})

test('a key revoked, or rotated without overlap, while the clock was an hour ahead stays revoked when it is right, even after a restart', async () => {
  const service = await openTestService()
  const [revoked, rotated, overlapping] = [
    await service.newCaller(5),
    await service.newCaller(5),
    await service.newCaller(5),
  ]
  const call = async ({ key }: { key: string }) => (await service.person('ada', '', { ApiKey: key })).text
  const setRight = await setAhead(service, 1 / 24)
  await service.admin('POST', `/keys/${revoked.keyId}/revoke`, {})
  await service.admin('POST', `/keys/${rotated.keyId}/rotate`, { overlap: '0s' })
  await service.admin('POST', `/keys/${overlapping.keyId}/rotate`, { overlap: '1m' })
  setRight()

  const ends = [await call(revoked), await call(rotated)]
  const listed = await service.admin<{ keys: { id: string; revoked: boolean }[] }>('GET', '/keys?state=ended')
  await service.restart()
  ends.push(await call(revoked), await call(rotated))

  expect(ends).toEqual(Array.from({ length: 4 }, () => 'revoked_api_key'))
  expect(listed.keys.map(({ id }) => id).toSorted()).toEqual([revoked.keyId, rotated.keyId].toSorted())
  expect([await revoked.balance(), await rotated.balance()]).toEqual([5, 5])
  expect((await service.person('ada', '', { ApiKey: overlapping.key })).status).toBe(200)
})

/** An environment with a monthly grant, and the job that grants it. */
async function monthly(service: TestService, carryOver = true, each = 10) {
  const { project, key, balance } = await service.newCaller(0)
  const set = (credits: number) =>
    service.admin('POST', '/credits/recurring', {
      ...{ project, environment: 'production', monthly: credits, carry_over: carryOver },
    })
  await set(each)
  const { store } = service.service
  const job = grantRecurringJob({ store, clock: service.clock, log: service.service.log })
  await job.run()
  /** Time passes, and the job runs at its interval. */
  const pass = async (days: number) => {
    service.clock.advance({ days })
    await job.run()
  }
  return { key, set, balance, job, pass }
}

const twentyMonths = 610

test.each([0, 2])(
  'a clock that is 20 months ahead for a moment, and for %i minutes, leaves no trace in recurring credits',
  async (minutes) => {
    const service = await openTestService()
    const { set, balance, job, pass } = await monthly(service)
    await pass(31)
    const setRight = await setAhead(service, twentyMonths)
    await job.run()
    service.clock.advance({ minutes })
    await job.run()
    const ahead = await balance()
    setRight()
    await job.run()

    const right = await balance()
    await set(10)
    await pass(31)
    await pass(31)

    expect({ ahead, right }).toEqual({ ahead: minutes === 0 ? 10 : 210, right: 10 })
    expect(await balance()).toBe(30)
    expect(await service.admin('GET', '/ledger/verify')).toMatchObject({ ok: true })
  },
)

test('credits that expired or were spent while the clock was ahead are restored and offset: none is granted twice or lost', async () => {
  const service = await openTestService()
  const lapsing = await monthly(service, false)
  const spending = await monthly(service, true, 2)
  await lapsing.pass(31)
  await spending.pass(0)
  const setRight = await setAhead(service, 62)
  for (const minutes of [0, 2]) {
    service.clock.advance({ minutes })
    await lapsing.job.run()
  }
  // There are 6 credits, 4 of them for future months.
  for (let call = 0; call < 3; call++) await service.person('ada', '', { ApiKey: spending.key })
  setRight()
  await lapsing.job.run()
  const right = [await lapsing.balance(), await spending.balance()]
  await lapsing.pass(31)

  expect(right).toEqual([10, 1])
  expect([await lapsing.balance(), await spending.balance()]).toEqual([10, 1])
  await lapsing.pass(31)
  expect([await lapsing.balance(), await spending.balance()]).toEqual([10, 3])
})

test('a clock that is 20 months behind for a moment removes no recurring credits, and settings made meanwhile start with the right month', async () => {
  const service = await openTestService()
  const { balance, job, pass } = await monthly(service)
  // A month is certain after two days without a clock step.
  for (const days of [29, 1, 1]) await pass(days)
  const setRight = await setAhead(service, -twentyMonths)
  await job.run()
  const behind = await balance()
  const other = await monthly(service)
  setRight()
  await job.run()

  expect([behind, await balance(), await other.balance()]).toEqual([10, 10, 0])
  await pass(31)
  expect([await balance(), await other.balance()]).toEqual([20, 10])
})

test('a session opened while the clock was ahead ends when it is right, and one ended then stays ended', async () => {
  const service = await openTestService()
  const signIn = async () => {
    const body = JSON.stringify({ token: service.service.admin.ownerToken })
    const answer = await service.get('/admin/v1/session', { 'content-type': 'application/json' }, 'POST', body)
    return answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  }
  const isIn = async (cookie: string) => (await service.get('/admin/v1/session', { cookie })).status === 200
  const early = await signIn()
  const { sessions } = await service.admin<{ sessions: { id: string }[] }>('GET', '/sessions')
  const setRight = await setAhead(service, 60)
  await service.admin('POST', `/sessions/${sessions[0]?.id}/end`, {})
  const late = await signIn()
  const ahead = await isIn(late)
  setRight()

  expect([ahead, await isIn(late), await isIn(early)]).toEqual([true, false, false])
})

test('a daily ceiling set, and a free repeat paid, while the clock was ahead count normally when it is right', async () => {
  const service = await openTestService({ env: { VITAE_REPEAT_FREE_DAYS: '1' } })
  const limited = await service.newCaller(9)
  const repeating = await service.newCaller(9)
  const { job } = await monthly(service)
  const call = async (key: string, id: string) => (await service.person(id, '', { ApiKey: key })).text
  const setRight = await setAhead(service, 60)
  await service.admin('PATCH', `/keys/${limited.keyId}`, { daily_ceiling: 1 })
  await call(repeating.key, 'ada')
  setRight()
  // The job trusts a clock that was set back after seeing it twice.
  for (const _ of [1, 2]) await job.run()

  await call(limited.key, 'grace')
  const refused = await call(limited.key, 'emmy')
  await call(repeating.key, 'ada')
  await call(repeating.key, 'ada')

  expect(refused).toBe('credit_ceiling_reached')
  expect(await repeating.balance()).toBe(7)
  expect(await service.admin('GET', '/ledger/verify')).toMatchObject({ ok: true })
})
