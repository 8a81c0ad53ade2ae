import type { EventFeed, Watch, WatchList } from '@vitae/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Failure } from '../../src/foundation/failure.ts'
import type { ServiceStore } from '../../src/app/store/service-store.ts'
import { runDueWatches, resumePausedWatches } from '../../src/watches/run-watches.ts'
import { startTestService, type TestAnswer, type TestCaller, type TestService } from '../harness/test-service.ts'
import { readFeed } from '../../src/events/outbox/read-events.ts'

let service: TestService
beforeAll(async () => void (service = await startTestService()))
afterAll(() => service.close())

const send = (key: string, method: string, path: string, body?: unknown): Promise<TestAnswer> =>
  service.get(
    path,
    { ApiKey: key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    method,
    body === undefined ? undefined : JSON.stringify(body),
  )

const add = (key: string, id: string, more: object = {}) =>
  send(key, 'POST', '/v1/watches', { kind: 'people', id, ...more })

async function listed(key: string): Promise<Watch[]> {
  return ((await send(key, 'GET', '/v1/watches')).json as unknown as WatchList).watches
}

/** Runs everything that is due, like the background job. */
const runDue = () => runDueWatches(service.service, 4)

/** The same, but nothing is answered before these callers wait for it together. */
async function refreshTogether(callers: TestCaller[]): Promise<void> {
  const answers = Promise.withResolvers<void>()
  service.upstream.until = answers.promise
  const looks = runDueWatches(service.service, 100)
  for (const { project } of callers) while ((await service.balance('production', project)).held === 0);
  service.upstream.until = null
  answers.resolve()
  await looks
}

const upstreamCalls = (name: string) => service.upstream.requests.filter(({ path }) => path.includes(name)).length

describe('the list', () => {
  test('a watch is created once: 201, then 200 with the same id and the new settings', async () => {
    const { key } = await service.newCaller(10)
    const first = await add(key, 'https://www.linkedin.com/in/Lena-List/', { every_days: 30, note: 'lead' })
    const again = await add(key, 'lena-list', { every_days: 14 })

    expect(first).toMatchObject({ status: 201, json: { identifier: 'lena-list', every_days: 30, note: 'lead' } })
    expect(again).toMatchObject({ status: 200, json: { id: first.json['id'], every_days: 14, note: 'lead' } })
    expect(await listed(key)).toHaveLength(1)
  })

  test('a watch belongs to its environment: another one neither sees nor deletes it', async () => {
    const [owner, other] = [await service.newCaller(10), await service.newCaller(10)]
    const { id } = (await add(owner.key, 'olga-owned')).json as unknown as Watch

    expect(await listed(other.key)).toEqual([])
    expect((await send(other.key, 'DELETE', `/v1/watches/${id}`)).status).toBe(404)
    expect((await send(owner.key, 'DELETE', `/v1/watches/${id}`)).json).toEqual({ id, deleted: true })
    expect((await send(owner.key, 'DELETE', `/v1/watches/${id}`)).status).toBe(404)
  })

  test('the list is paged, and every watch is on exactly one page', async () => {
    const { key } = await service.newCaller(10)
    for (const name of ['pia-1', 'pia-2', 'pia-3']) await add(key, name)
    const seen: string[] = []
    for (let next: string | null = ''; next !== null;) {
      const page = await send(key, 'GET', `/v1/watches?limit=2${next && `&after=${next}`}`)
      const { watches, next: following } = page.json as unknown as WatchList
      seen.push(...watches.map((watch) => watch.identifier))
      next = following
    }
    expect(seen.toSorted()).toEqual(['pia-1', 'pia-2', 'pia-3'])
  })

  test('input that no lookup accepts is refused, and nothing is stored', async () => {
    const { key } = await service.newCaller(10)
    for (const body of [{ id: 'a b' }, { id: 'ada', every_days: 0 }, { id: 'ada', every_days: 1.5 }, { id: 7 }])
      expect((await send(key, 'POST', '/v1/watches', { kind: 'people', ...body })).status).toBe(400)
    const limited = await service.newCaller(10, { endpoints: ['companies'] })
    expect(await add(limited.key, 'ada')).toMatchObject({ status: 403, text: 'endpoint_not_allowed' })
    expect(await listed(key)).toEqual([])
  })

  test('a test key gets samples, and nothing is stored', async () => {
    const { key } = await service.makeKey({ mode: 'test', project: 'samples' })
    const made = await add(key, 'tilda-test', { every_days: 3 })
    const stopped = await add(key, 'sample-ceiling-reached')
    const missing = await add(key, 'sample-not-found')

    expect(made).toMatchObject({ status: 201, json: { identifier: 'tilda-test', every_days: 3, last_result: 'live' } })
    expect(stopped.json).toMatchObject({ paused: 'credit_ceiling_reached', next_due_at: null })
    expect(missing.json).toMatchObject({ paused: null, last_result: 'not_found' })
    expect((await listed(key)).map((watch) => watch.identifier)).toContain('sample-complete')
    expect((await send(key, 'DELETE', `/v1/watches/${String(made.json['id'])}`)).status).toBe(200)
    expect(await service.service.store.watches.listWatches({ project: 'samples', after: null, limit: 10 })).toEqual([])
  })
})

describe('refreshes', () => {
  test('the first refresh is immediate and each later one an interval after the last, each for one credit', async () => {
    const caller = await service.newCaller(10)
    await add(caller.key, 'dora-due', { every_days: 3 })
    await runDue()
    await runDue()
    expect(await caller.balance()).toBe(9)

    service.clock.advance({ days: 2, hours: 23 })
    await runDue()
    expect(await caller.balance()).toBe(9)

    service.clock.advance({ hours: 1 })
    await runDue()
    await runDue()
    expect(await caller.balance()).toBe(8)
    expect(upstreamCalls('dora-due')).toBe(2)
    expect(await listed(caller.key)).toMatchObject([{ last_result: 'live', paused: null }])
  })

  test('a record that the environment has just paid for needs no first refresh', async () => {
    const caller = await service.newCaller(10)
    await service.person('jan-just', '', { ApiKey: caller.key })
    await add(caller.key, 'jan-just')
    await runDue()
    expect(await caller.balance()).toBe(9)

    service.clock.advance({ days: 7 })
    await runDue()
    expect(await caller.balance()).toBe(8)
  })

  test('two nodes that process due watches at once pay for each watch once', async () => {
    const caller = await service.newCaller(10)
    for (const name of ['nora-1', 'nora-2', 'nora-3']) await add(caller.key, name)
    service.clock.advance({ seconds: 5 })
    await Promise.all([runDue(), runDue(), runDue()])
    expect(await caller.balance()).toBe(7)
  })

  describe('a refresh is paid for once', () => {
    const lost = () => Promise.reject(new Failure('store_unavailable'))

    /** The same service, whose next refresh can be paid for and then fails. */
    const failing = {
      'its node dies after paying': () => {
        const { store } = service.service
        const finishWatch = () => Promise.reject(new Error('killed'))
        return { ...service.service, store: { ...store, watches: { ...store.watches, finishWatch } } }
      },
      'the store is lost for a moment after paying': () => {
        const { store } = service.service
        let isLost = true
        const finishWatch: ServiceStore['watches']['finishWatch'] = (args) =>
          isLost ? lost() : store.watches.finishWatch(args)
        const once: typeof finishWatch = (args) => finishWatch(args).finally(() => (isLost = false))
        return { ...service.service, store: { ...store, watches: { ...store.watches, finishWatch: once } } }
      },
      'the answer to its payment is lost': () => {
        const { lookup } = service.service
        const { earlyPayments: early } = lookup
        if (!early) throw new Error('the service has no early payments')
        const saveAndSettle: typeof early.saveAndSettle = (args) => early.saveAndSettle(args).then(lost)
        return { ...service.service, lookup: { ...lookup, earlyPayments: { ...early, saveAndSettle } } }
      },
    }

    test.each(Object.entries(failing))('when %s', async (when, broken) => {
      const caller = await service.newCaller(10)
      await add(caller.key, `kim-${when.replaceAll(' ', '-')}`)
      await runDueWatches(broken(), 4).catch(() => undefined)
      expect(await caller.balance()).toBe(9)

      await runDue()
      service.clock.advance({ hours: 8 })
      await runDue()
      expect(await caller.balance()).toBe(9)
      expect(await listed(caller.key)).toMatchObject([{ last_result: 'store', paused: null }])
    })
  })

  test('two environments that watch one person share one fetch, and each pays for its answer', async () => {
    const [one, two] = [await service.newCaller(10), await service.newCaller(10)]
    await add(one.key, 'sue-shared', { every_days: 4 })
    await add(two.key, 'sue-shared', { every_days: 4 })
    await refreshTogether([one, two])
    service.clock.advance({ days: 5 })
    await refreshTogether([one, two])
    expect(upstreamCalls('sue-shared')).toBe(2)
    expect([await one.balance(), await two.balance()]).toEqual([8, 8])
  })

  test('an unknown person costs nothing, and neither does an outage; a stale copy is not used', async () => {
    const caller = await service.newCaller(10)
    service.upstream.people.set('gone-gus', null)
    await add(caller.key, 'gone-gus')
    await add(caller.key, 'otto-out')
    service.clock.advance({ seconds: 2 })
    await runDue()
    expect(await caller.balance()).toBe(9)

    // An outage that is not retried at once.
    await service.upstream.setFault(401)
    service.clock.advance({ days: 7, minutes: 60 })
    await runDue()
    await service.upstream.setFault(null)
    expect(await caller.balance()).toBe(9)
    const results = new Map((await listed(caller.key)).map((watch) => [watch.identifier, watch.last_result]))
    expect(results.get('otto-out')).toBe('upstream_unavailable')

    service.clock.advance({ hours: 7 })
    await runDue()
    expect(await caller.balance()).toBe(8)
  })
})

describe('credits', () => {
  const paused = async ({ key }: TestCaller) => (await listed(key)).map((watch) => watch.paused)

  test('at the ceiling all watches of the key pause, and resume when it is raised', async () => {
    const caller = await service.newCaller(10, { ceiling: 1 })
    for (const name of ['cora-1', 'cora-2', 'cora-3']) await add(caller.key, name)
    service.clock.advance({ seconds: 5 })
    await runDue()
    expect(await caller.balance()).toBe(9)
    expect(await paused(caller)).toEqual(Array.from({ length: 3 }, () => 'credit_ceiling_reached'))
    const { bytes } = await readFeed(service.service.store.events, {
      after: 0,
      limit: 1_000,
      coding: null,
      now: service.clock.now(),
    })
    const told = (JSON.parse(Buffer.from(bytes).toString()) as EventFeed).events.filter(
      (event) => event.project === caller.project,
    )
    const data = { key: caller.keyId, spent: 1, ceiling: 1, percent: 100, watches_paused: 3 }
    expect(told).toContainEqual(
      expect.objectContaining({
        type: 'ceiling.reached',
        data: { ...data, period: expect.stringMatching(/^20\d\d-\d\d$/) },
      }),
    )

    await resumePausedWatches(service.service)
    expect(await paused(caller)).toContain('credit_ceiling_reached')
    await service.admin('PATCH', `/keys/${caller.keyId}`, { ceiling: 5 })
    await resumePausedWatches(service.service)
    await runDue()
    expect(await paused(caller)).toEqual([null, null, null])
    expect(await caller.balance()).toBe(7)
  })

  test('without credits they pause and resume after a grant', async () => {
    const caller = await service.newCaller(0)
    await add(caller.key, 'emil-empty')
    await runDue()
    expect(await paused(caller)).toEqual(['out_of_credits'])
    await service.grant(1, 'production', caller.project)
    await resumePausedWatches(service.service)
    await runDue()
    expect(await paused(caller)).toEqual([null])
    expect(await caller.balance()).toBe(0)
  })

  test('rotation passes the watches to the successor; those of a revoked key pause until another key of the environment takes them', async () => {
    const caller = await service.newCaller(10)
    await add(caller.key, 'rosa-rotated', { every_days: 2 })
    const next = await service.admin<{ id: string; key: string }>('POST', `/keys/${caller.keyId}/rotate`, {
      overlap: '0s',
    })
    await runDue()
    expect(await caller.balance()).toBe(9)
    expect(await paused({ ...caller, key: next.key })).toEqual([null])

    await service.admin('POST', `/keys/${next.id}/revoke`, {})
    service.clock.advance({ days: 2 })
    await runDue()
    const other = await service.makeKey({ project: caller.project })
    expect(await paused({ ...caller, key: other.key })).toEqual(['revoked_api_key'])
    await add(other.key, 'rosa-rotated')
    await runDue()
    expect(await paused({ ...caller, key: other.key })).toEqual([null])
    expect(await caller.balance()).toBe(8)
  })
})
