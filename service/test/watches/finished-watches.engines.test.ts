import type { WatchList } from '@vitae/contract'
import { expect, test } from 'vitest'
import { dayMs } from '../../src/foundation/clock.ts'
import { openTestService } from '../harness/test-service.ts'

test('a node that another one has replaced changes neither the result nor the time of a refresh', async () => {
  const service = await openTestService({ credits: 5 })
  const { store, clock } = service.service
  const headers = { ApiKey: service.liveKey, 'content-type': 'application/json' }
  await service.get('/v1/watches', headers, 'POST', JSON.stringify({ kind: 'people', id: 'jule-replaced' }))
  const now = clock.now()
  const prices = service.service.prices.at(now).highestOfWatches()
  const claim = async (at: number) =>
    (await store.watches.claimWatches({ now: at, limit: 9, leaseMs: 1_000, prices })).claimed
  const [replaced] = await claim(now)
  const [current] = await claim(now + 2_000)
  const finish = (watch: typeof current, missed: string) =>
    store.watches.finishWatch({ id: watch?.id ?? '', lease: watch?.lease ?? 0, end: { missed }, at: now })
  const shown = async () => (await service.get('/v1/watches', { ApiKey: service.liveKey })).json['watches']

  const before = await shown()
  await finish(replaced, 'idempotency_key_reused')
  const after = await shown()
  await finish(current, 'not_found')

  expect(after).toEqual(before)
  expect(await shown()).toMatchObject([{ last_result: 'not_found' }])
})

test('a time of another watch that a wrong clock has written does not delay the next refresh', async () => {
  const service = await openTestService({ credits: 5 })
  const { store, clock } = service.service
  const headers = { ApiKey: service.liveKey, 'content-type': 'application/json' }
  for (const id of ['kaja-first', 'kaja-second'])
    await service.get('/v1/watches', headers, 'POST', JSON.stringify({ kind: 'people', id, every_days: 10 }))
  // Both are due: their first refreshes are apart.
  const now = clock.now() + 20 * dayMs
  const prices = service.service.prices.at(now).highestOfWatches()
  const { claimed } = await store.watches.claimWatches({ now, limit: 9, leaseMs: 1_000, prices })

  for (const [index, at] of [now + 365 * dayMs, now].entries()) {
    const { id, lease } = claimed[index] ?? expect.fail()
    await store.watches.finishWatch({ id, lease, end: { missed: 'not_found' }, at })
  }

  const { watches } = (await service.get('/v1/watches', { ApiKey: service.liveKey })).json as unknown as WatchList
  const dueIn = watches.map(({ next_due_at: at }) => (Date.parse(String(at)) - now) / dayMs).toSorted((a, b) => a - b)
  expect(dueIn[0]).toBeGreaterThan(9)
  expect(dueIn[0]).toBeLessThan(20)
  expect(dueIn[1]).toBeGreaterThan(365)
})
