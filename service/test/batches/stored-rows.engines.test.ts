import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../harness/test-service.ts'
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
