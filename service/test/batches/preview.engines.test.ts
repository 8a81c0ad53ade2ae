import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../harness/test-service.ts'
import { BatchCaller } from './batch-caller.ts'

let service: TestService
const caller = async (credits: number, wish: Record<string, unknown> = {}) => {
  const made = await service.newCaller(credits, wish)
  return { ...made, batches: new BatchCaller(service.url, made.key) }
}

beforeAll(async () => {
  service = await startTestService({ env: { VITAE_BATCH_ROWS: '3000' } })
})
afterAll(() => service.close())

test('a preview shows the cost of submitting the same body, and does not pay, store or fetch anything', async () => {
  const { batches, balance } = await caller(50, { rate: '4/60s' })
  await batches.ask('/v1/people/profile?profile_id=ada-priced')
  const before = { balance: await balance(), asked: service.upstream.requests.length }
  const ids = ['ada-priced', 'https://www.linkedin.com/in/Ada-Priced/', 'not an id', 'new-priced', 'newer-priced']

  const kindFirst = await batches.post({ kind: 'people', ids, name: 'guests' }, {}, '/preview')
  const kindLast = await batches.post({ ids, kind: 'people', max_age_days: 0 }, {}, '/preview')
  const csv = await batches.post('id\nada-priced\n', { 'content-type': 'text/csv' }, '/preview?kind=people')

  expect(kindFirst.json).toEqual({
    rows: 5,
    distinct: 3,
    invalid: 1,
    stored: 1,
    highest_credits: 3,
    available_credits: before.balance,
    // The key's four calls a minute do not limit rows.
    estimated_seconds: 1,
  })
  expect(kindLast.json).toMatchObject({ rows: 5, distinct: 3, stored: 0, highest_credits: 3 })
  expect(csv.json).toMatchObject({ rows: 1, distinct: 1, stored: 1, highest_credits: 1, estimated_seconds: 1 })
  expect({ balance: await balance(), asked: service.upstream.requests.length }).toEqual(before)
  const listed = await service.admin<{ batches: unknown[] }>('GET', '/batches?limit=5')
  expect(listed.batches).toEqual([])
})

test('the spendable amount of a key is the lowest of its credits and ceilings, and a test key spends nothing', async () => {
  const capped = await caller(50, { ceiling: 7 })
  const practice = await caller(50, { mode: 'test' })
  const ids = ['one-capped', 'two-capped']

  const live = await capped.batches.post({ kind: 'people', ids }, {}, '/preview')
  const test = await practice.batches.post({ kind: 'people', ids }, {}, '/preview')

  expect(live.json).toMatchObject({ highest_credits: 2, available_credits: 7 })
  expect(test.json).toMatchObject({ distinct: 2, stored: 0, highest_credits: 0, available_credits: null })
})

test('a body that no batch accepts is refused like its submission', async () => {
  const { batches } = await caller(5)
  const many = Array.from({ length: 3_001 }, (_, index) => `person-${index}`)
  const bodies = [
    { kind: 'planets', ids: ['x'] },
    { ids: ['x'] },
    { kind: 'people', ids: [] },
    { kind: 'people', ids: ['x'], max_credit: 5 },
    { ids: many, kind: 'people' },
    '{"kind":"people","ids":["x"',
  ]

  for (const body of bodies) {
    const priced = await batches.post(body, {}, '/preview')
    const submitted = await batches.post(body)
    const of = ({ status, json }: typeof priced) => [status, json['code'], json['detail']]
    expect(of(priced)).toEqual(of(submitted))
    expect(priced.status).toBeGreaterThanOrEqual(400)
  }
})

test('an environment has one preview at a time, and other environments do not wait', async () => {
  const [busy, beside] = [await caller(5), await caller(5)]
  const rest = Promise.withResolvers<string>()
  const encoder = new TextEncoder()
  const previewSlowly = () => {
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(encoder.encode('{"kind":"people","ids":["x-slow"'))
        controller.enqueue(encoder.encode(await rest.promise))
        controller.close()
      },
    })
    const headers = { ApiKey: busy.key, 'content-type': 'application/json' }
    return fetch(`${service.url}/v1/batches/preview`, { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
  }
  const body = { kind: 'people', ids: ['x-slow'] }

  // The first to arrive is read until its body ends.
  const both = [previewSlowly(), previewSlowly()]
  const refused = await Promise.race(both)
  const other = await beside.batches.post(body, {}, '/preview')
  rest.resolve(']}')
  const answered = await Promise.all(both)
  const after = await busy.batches.post(body, {}, '/preview')

  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await refused.json()).toMatchObject({ code: 'overloaded' })
  expect(answered.map(({ status }) => status)).toEqual(expect.arrayContaining([200, 503]))
  expect([other.status, after.status]).toEqual([200, 200])
})
