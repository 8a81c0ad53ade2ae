import type { Watch, WatchList } from '@vitae/contract'
import { expect, test } from 'vitest'
import { bringBackWatches, runDueWatches } from '../../src/watches/run-watches.ts'
import { BatchCaller } from '../batches/batch-caller.ts'
import { openTestService, type TestService } from '../harness/test-service.ts'

/** Sets the clock of the service so much ahead, and gives what sets it right again. */
async function setAhead({ clock, service }: TestService, days: number): Promise<() => void> {
  const before = clock.now()
  clock.set(new Date(before + days * 86_400_000).toISOString())
  await service.store.makePartitions({ now: clock.now() })
  return () => clock.set(new Date(before).toISOString())
}

test('a clock that is set forward gives no second helping of a rate limit; time that passes does', async () => {
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

test('watches that were made and looked at while the clock was a month ahead are looked at when it is right again', async () => {
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

test('a batch that was paused while the clock was ahead goes on when it is right again', async () => {
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

test('what a call held while the clock was ahead is given back when its process is gone and the clock is right', async () => {
  const service = await openTestService()
  const { key, keyId, project } = await service.newCaller(5)
  const { lookup, keyCache, store } = service.service
  const { environmentId } = await keyCache.find(key)
  const setRight = await setAhead(service, 0.25)
  const at = service.clock.now()
  const hold = { type: 'hold', requestId: 'req_lost', keyId, environmentId, idempotency: null } as const
  await lookup.settle({ ...hold, at, amount: 2, expiresAt: at + 60_000 })
  setRight()

  await store.releaseHolds({ at: service.clock.now(), all: false, longestMs: 120_000 })

  expect(await service.balance('production', project)).toMatchObject({ balance: 5, held: 0 })
})

test('a record that was fetched while the clock was ahead is fetched once more when it is right, and is then fresh as long as any other', async () => {
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
