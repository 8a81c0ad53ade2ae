import { eventData, eventTypes, type EventFeed, type EventType } from '@vitae/contract'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../harness/test-service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

async function feed(key: string, query = ''): Promise<EventFeed> {
  const answer = await service.get(`/v1/events${query}`, { ApiKey: key })
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
  return answer.json as unknown as EventFeed
}

const types = ({ events }: EventFeed) => events.map(({ type }) => type)

test('an environment reads its events in order, each once, and continues after the last one', async () => {
  const caller = await service.newCaller(20, { ceiling: 5 })
  for (let call = 0; call < 7; call++) await service.person(`feed-${call % 2}`, '', { ApiKey: caller.key })

  const first = await feed(caller.key, '?limit=1')
  const second = await feed(caller.key, `?after=${first.next}`)
  const third = await feed(caller.key, `?after=${second.next}`)

  expect(first.events).toEqual([
    {
      id: expect.stringMatching(/^evt_/),
      type: 'ceiling.near',
      at: '2026-11-14T09:30:00.000Z',
      project: caller.project,
      environment: 'production',
      data: { key: caller.keyId, period: '2026-11', spent: 4, ceiling: 5, percent: 80 },
    },
  ])
  expect(types(second)).toEqual(['ceiling.reached'])
  expect(third).toEqual({ events: [], next: second.next })
  expect(types(await feed(caller.key, '?type=ceiling.reached,credits.low'))).toEqual(['ceiling.reached'])
  expect((await feed(service.liveKey)).events).toEqual([])
})

test('reading costs no credits, counts in the rate limit and needs a key', async () => {
  const caller = await service.newCaller(3, { rate: '2/60s' })
  await feed(caller.key)
  await feed(caller.key)
  expect((await service.get('/v1/events', { ApiKey: caller.key })).status).toBe(429)
  expect(await caller.balance()).toBe(3)
  expect((await service.get('/v1/events')).status).toBe(401)
})

test.each(['?after=x', '?after=-1', '?limit=0', '?limit=501', '?type=person.died'])(
  'a meaningless query is refused: %s',
  async (query) => {
    expect((await service.get(`/v1/events${query}`, { ApiKey: service.liveKey })).status).toBe(400)
  },
)

test('a test key reads a fictional feed with every type, page by page', async () => {
  const { key } = await service.makeKey({ mode: 'test' })
  const all = await feed(key)
  const start = await feed(key, '?limit=5')
  const rest = await feed(key, `?after=${start.next}`)

  expect(types(all)).toEqual(eventTypes)
  expect([...start.events, ...rest.events]).toEqual(all.events)
  for (const { type, data } of all.events)
    expect([type, Value.Check(eventData[type as EventType], data)]).toEqual([type, true])
})
