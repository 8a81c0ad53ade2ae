import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startTestService, type TestService } from '../../service/test/harness/test-service.ts'
import { type BatchResultRow, VitaeClient, VitaeNotFoundError } from '../src/index.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService({ realClock: true, people: { nobody: null } })
})
afterAll(() => service.close())

const clientOf = (apiKey: string, baseUrl = service.url) => new VitaeClient({ apiKey, baseUrl })

async function collect(rows: AsyncIterable<BatchResultRow>): Promise<BatchResultRow[]> {
  const all: BatchResultRow[] = []
  for await (const row of rows) all.push(row)
  return all
}

/** A server that returns the given responses of one path in turn. */
async function answering(...answers: ((response: ServerResponse, url: string) => void)[]) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    answers[asked.length - 1]?.(response, request.url ?? '')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

describe('batches', () => {
  test('submits, waits and reads every row in input order; a repeated submission is the same batch', async () => {
    const caller = await service.newCaller(20)
    const { batches } = clientOf(caller.key)
    const wish = { kind: 'people', ids: ['ada-batch', 'nobody', 'grace-batch'], maxCredits: 5 } as const
    const seen: number[] = []

    const submitted = await batches.create({ ...wish, idempotencyKey: 'guests' })
    const again = await batches.create({ ...wish, idempotencyKey: 'guests' })
    const onProgress = ({ counts }: { counts: { waiting: number } }) => seen.push(counts.waiting)
    const ended = await batches.wait(submitted.id, { pollMs: 20, onProgress })
    const rows = await collect(batches.results(submitted.id))

    expect(again.id).toBe(submitted.id)
    expect(ended).toMatchObject({ status: 'completed', credits_spent: 2, counts: { found: 2, not_found: 1 } })
    expect(seen.at(-1)).toBe(0)
    expect(rows.map(({ row, input, status }) => [row, input, status])).toEqual([
      [1, 'ada-batch', 'found'],
      [2, 'nobody', 'not_found'],
      [3, 'grace-batch', 'found'],
    ])
    expect(await collect(batches.results(submitted.id, { after: 2 }))).toEqual(rows.slice(2))
    expect((await batches.list({ limit: 1 })).batches[0]?.id).toBe(submitted.id)
    expect(await caller.balance()).toBe(18)
  })

  test('a batch at its max_credits ends the wait; resume with more credits completes it', async () => {
    const caller = await service.newCaller(20)
    const { batches } = clientOf(caller.key)
    const { id } = await batches.create({ kind: 'companies', ids: ['one-co', 'two-co'], maxCredits: 1 })

    const paused = await batches.wait(id, { pollMs: 20 })
    await batches.resume(id, { maxCredits: 2 })
    const ended = await batches.wait(id, { pollMs: 20 })

    expect(paused).toMatchObject({ status: 'paused', pause_reason: 'max_credits_reached' })
    expect(ended.status).toBe('completed')
  })

  test('a batch of another environment is not found, and cancelling a finished batch does nothing', async () => {
    const { batches } = clientOf((await service.newCaller(5)).key)
    const other = clientOf((await service.newCaller(5)).key).batches
    const { id } = await batches.create({ kind: 'people', ids: ['someone-else'] })
    const ended = await batches.wait(id, { pollMs: 20 })

    await expect(other.get(id)).rejects.toBeInstanceOf(VitaeNotFoundError)
    await expect(collect(other.results(id))).rejects.toBeInstanceOf(VitaeNotFoundError)
    expect((await batches.cancel(id)).status).toBe(ended.status)
  })

  test('results continue after the last complete row when the connection breaks', async () => {
    const line = (row: number) => `${JSON.stringify({ row, input: `id-${row}`, status: 'not_found' })}\n`
    const { asked, url } = await answering(
      (response) => {
        response.writeHead(200, { 'content-type': 'application/x-ndjson' })
        response.write(line(1) + line(2) + line(3).slice(0, 10), () => response.destroy())
      },
      (response) => response.writeHead(200).end(line(3) + line(4)),
    )
    const timing = { sleep: () => Promise.resolve() }
    const client = new VitaeClient({ apiKey: 'vt_test_x', baseUrl: url, timing })

    const rows = await collect(client.batches.results('batch_x'))

    expect(rows.map(({ row }) => row)).toEqual([1, 2, 3, 4])
    expect(asked.map((path) => new URL(path, url).searchParams.get('after'))).toEqual(['0', '2'])
  })
})
