import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestService, startTestService, type TestService } from '../harness/test-service.ts'
import { BatchCaller } from './batch-caller.ts'

const ids = Array.from({ length: 96 }, (_, index) => `ada-stored-${index}`)

let service: TestService
beforeAll(async () => {
  service = await startTestService({ realClock: true })
})
afterAll(() => service.close())

/** Runs a batch to its end with an environment of its own. */
async function run(credits: number, body: Record<string, unknown>) {
  const { key, balance } = await service.newCaller(credits)
  const batches = new BatchCaller(service.url, key)
  const id = await batches.submit({ kind: 'people', ...body })
  const batch = await batches.until(id)
  return { batch, rows: await batches.results(id), left: await balance() }
}

async function settlements(): Promise<number> {
  const { text } = await service.get('/metrics')
  return Number(/^vitae_settlement_batch_size_count (\d+)/m.exec(text)?.[1])
}

test('rows that the store answers share a few settlements, and each is paid once', async () => {
  await run(100, { ids })
  const asked = service.upstream.requests.length
  const before = await settlements()

  const { batch, rows, left } = await run(100, { ids })

  expect((await settlements()) - before).toBeLessThanOrEqual(12)
  expect(service.upstream.requests).toHaveLength(asked)
  expect(batch).toMatchObject({ status: 'completed', credits_spent: 96, counts: { found: 96 } })
  expect(rows.map(({ source, credits }) => [source, credits])).toEqual(ids.map(() => ['store', 1]))
  expect(left).toBe(4)
})

test('stored rows beside rows that have to be fetched are each answered and paid once', async () => {
  await run(100, { ids: ids.slice(0, 40) })
  const mixed = ids.slice(0, 40).flatMap((id, index) => (index % 4 === 0 ? [id, `ada-new-${index}`] : [id]))

  const { batch, rows, left } = await run(100, { ids: mixed })

  expect(batch).toMatchObject({ status: 'completed', credits_spent: 50, counts: { found: 50 } })
  expect(rows.filter(({ source }) => source === 'live')).toHaveLength(10)
  expect(left).toBe(50)
})

test('rows beyond the credits of a batch wait, however many begin together', async () => {
  await run(100, { ids })

  const { batch, left } = await run(100, { ids, max_credits: 50 })

  expect(batch).toMatchObject({ status: 'paused', credits_spent: 50, counts: { found: 50 } })
  expect(left).toBe(50)
})

test('rows whose records are not in memory end like single calls, and remembered misses and suppressed people too', async () => {
  const some = [...ids.slice(0, 5), 'nobody-stored', 'ada-suppressed']
  service.upstream.people.set('nobody-stored', null)
  await run(100, { ids: some })
  await service.admin('POST', '/suppressions', { kind: 'people', ids: ['ada-suppressed'], reason: 'asked for it' })
  const asked = service.upstream.requests.length

  await service.restart()
  const facts = await run(100, { ids: some })
  await service.restart()
  const whole = await run(100, { ids: some, include_contact_info: true })

  const { key } = await service.newCaller(100)
  const calls = await Promise.all(some.map((id) => service.person(id, '', { ApiKey: key })))
  expect(facts.rows.map(({ status, error }) => [status, error])).toEqual(
    calls.map(({ status, json }) => (status === 200 ? ['found', null] : ['not_found', json['code']])),
  )
  expect(facts.rows.map(({ record }) => record)).toEqual(
    calls.map(({ status, json }) => (status === 200 ? json : null)),
  )
  const known = ({ rows }: typeof facts) => rows.map((row) => [row.status, row.source, row.fetched_at, row.credits])
  expect(known(facts)).toEqual(known(whole))
  expect([facts.left, whole.left]).toEqual([95, 95])
  expect(service.upstream.requests).toHaveLength(asked)
})

test('a row that has to be fetched is compared with the stored record, which is not in memory, for its price', async () => {
  const own = await openTestService()
  await own.admin('POST', '/prices', { lines: [{ kind: 'people', changed: false, credits: 2 }, { credits: 5 }] })
  own.clock.advance({ minutes: 2 })
  const { key, balance } = await own.newCaller(100)
  const first = await own.person('ada-compared', '', { ApiKey: key })
  await own.restart()
  own.clock.advance({ days: 3 })

  const batches = new BatchCaller(own.url, key)
  const id = await batches.submit({ kind: 'people', ids: ['ada-compared'], max_age_days: 1 })
  await batches.until(id)

  const [row] = await batches.results(id)
  expect(first.headers.get('x-credits-charged')).toBe('5')
  expect(row).toMatchObject({ status: 'found', source: 'live', credits: 2 })
  expect(await balance()).toBe(93)
})
