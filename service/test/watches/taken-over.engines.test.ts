import { afterAll, beforeAll, expect, test } from 'vitest'
import { Failure } from '../../src/foundation/failure.ts'
import { runDueWatches } from '../../src/watches/run-watches.ts'
import { startTestService, type TestService } from '../harness/test-service.ts'

let service: TestService
beforeAll(async () => void (service = await startTestService()))
afterAll(() => service.close())

test('a refresh that another node has taken over is not paid for by the first one, and does not change its result', async () => {
  const { key, project, balance } = await service.newCaller(5)
  const { store } = service.service
  const gate = Promise.withResolvers<void>()
  service.upstream.until = gate.promise
  const headers = { ApiKey: key, 'content-type': 'application/json' }
  await service.get('/v1/watches', headers, 'POST', JSON.stringify({ kind: 'people', id: 'greta-frozen' }))
  await store.database.makePartitions({ now: service.clock.now() })
  const frozen = runDueWatches(service.service, 1)
  while ((await service.balance('production', project)).held === 0) continue

  // It waits for the provider, like that of a frozen node. Its lease expires, and another node takes over.
  const now = service.clock.now() + 3_600_000
  const prices = service.service.prices.at(now).highestOfWatches()
  const { claimed } = await store.watches.claimWatches({ now, limit: 9, leaseMs: 1_000, prices })
  for (const { id, lease } of claimed)
    await store.watches.finishWatch({ id, lease, end: { missed: 'not_found' }, at: now })
  gate.resolve()
  await frozen

  const { json } = await service.get('/v1/watches', { ApiKey: key })
  expect(claimed.length).toBe(1)
  expect(await balance()).toBe(5)
  expect(json).toMatchObject({ watches: [{ last_result: 'not_found' }] })
})

test('a refresh whose payment is not recorded is paid once, even if the next attempt finds the service overloaded', async () => {
  const { key, balance } = await service.newCaller(5)
  const { service: deps, clock, upstream } = service
  const headers = { ApiKey: key, 'content-type': 'application/json' }
  await service.get('/v1/watches', headers, 'POST', JSON.stringify({ kind: 'people', id: 'ines-unrecorded' }))
  const refused = () => Promise.reject(new Failure('store_unavailable', {}))
  const overloaded = () => Promise.reject(new Failure('overloaded', {}))

  const watches = { ...deps.store.watches, finishWatch: refused }
  await runDueWatches({ ...deps, store: { ...deps.store, watches } }, 1).catch(() => undefined)
  const afterFirst = [await balance(), upstream.requests.length]
  clock.advance({ hours: 1 })
  await runDueWatches({ ...deps, lookup: { ...deps.lookup, settle: overloaded } }, 1)
  clock.advance({ hours: 1 })
  await runDueWatches(deps, 1)
  const { json } = await service.get('/v1/watches', { ApiKey: key })

  expect([afterFirst[0], await balance()]).toEqual([4, 4])
  expect(upstream.requests.length).toBe(afterFirst[1])
  expect(json).toMatchObject({ watches: [{ last_result: 'store' }] })
})

test("a refresh that is claimed again reserves its current price, and the month's limit is not exceeded", async () => {
  const { key, project } = await service.newCaller(50)
  const { store, keyCache } = service.service
  const { environmentId } = await keyCache.find(key)
  const headers = { ApiKey: key, 'content-type': 'application/json' }
  await service.get('/v1/watches', headers, 'POST', JSON.stringify({ kind: 'people', id: 'hanne-dearer' }))
  const account = { project, environment: 'production' }
  await service.admin('POST', '/watches', { ...account, watches: [], max_credits_per_month: 4 })
  const claim = (now: number, price: number) => {
    const prices = [{ project: null, environment: null, highest: { people: price, companies: price } }]
    return store.watches.claimWatches({ now, limit: 9, leaseMs: 1_000, prices })
  }
  const spent = async () =>
    (await store.watches.watchBudget({ environmentId, at: service.clock.now() })).spent_this_month
  const now = service.clock.now()

  const first = await claim(now, 2)
  const atFirst = await spent()
  const dearer = await claim(now + 2_000, 3)
  const atDearer = await spent()
  const tooDear = await claim(now + 4_000, 5)
  const { json } = await service.get('/v1/watches', { ApiKey: key })

  expect([first, dearer, tooDear].map(({ claimed }) => claimed.length)).toEqual([1, 1, 0])
  expect([atFirst, atDearer, await spent()]).toEqual([2, 3, 3])
  expect(json).toMatchObject({ watches: [{ paused: 'max_credits_per_month' }] })
})
