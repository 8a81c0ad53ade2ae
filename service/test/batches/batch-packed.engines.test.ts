import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { onPostgres } from '../harness/engines.ts'
import { startTestService, type TestService } from '../harness/test-service.ts'
import { BatchCaller } from './batch-caller.ts'

let service: TestService
let batches: BatchCaller
const packed = { 'content-type': 'text/csv', 'content-encoding': 'gzip' }

beforeAll(async () => {
  service = await startTestService({ realClock: true })
  batches = new BatchCaller(service.url, (await service.newCaller(100)).key)
})
afterAll(() => service.close())

const send = (body: Uint8Array<ArrayBuffer>, headers: Record<string, string>, path = '') =>
  batches.ask(`/v1/batches${path}?kind=people&column=id`, { method: 'POST', headers, body })
const zip = (text: string) => new Uint8Array(gzipSync(text))

test('a body may be gzipped, even in several members, and results are gzipped on request', async () => {
  const members = Buffer.concat([gzipSync('id,note\nada-packed,a\n'), gzipSync('grace-packed,b\n')])
  const sent = await send(new Uint8Array(members), packed)
  const priced = await send(zip('id\nada-packed\n'), packed, '/preview')
  const id = String(sent.json['id'])
  await batches.until(id)

  const download = (coding: string) =>
    fetch(`${service.url}/v1/batches/${id}/results?format=csv`, {
      headers: { ApiKey: batches.key, 'accept-encoding': coding },
    })
  const plain = await (await download('identity')).text()
  const gzipped = await download('gzip')

  expect(sent.status).toBe(202)
  expect(priced.json).toMatchObject({ rows: 1, distinct: 1 })
  expect(
    plain
      .split('\r\n')
      .slice(1, 3)
      .map((line) => line.slice(0, 14)),
  ).toEqual(['ada-packed,a,1', 'grace-packed,b'])
  expect(gzipped.headers.get('content-encoding')).toBe('gzip')
  expect(await gzipped.text()).toBe(plain)
})

// The refusal comes before any use of the store, so one engine is enough.
test.skipIf(onPostgres)(
  'a body that decompresses beyond the limit is refused before it is decompressed, whatever its size',
  async () => {
    // Few long rows, so that only the size limit can stop it.
    const bomb = gzipSync(`id\n${`${'x'.repeat(100_000)}\n`.repeat(600)}`)
    const empty = gzipSync('')

    const answers = [
      await send(new Uint8Array(bomb), packed),
      await send(new Uint8Array(bomb.subarray(0, 1_000)), packed),
      await send(new TextEncoder().encode('id\nada\n'), packed),
      await send(new Uint8Array(Buffer.concat(Array.from({ length: 2_000 }, () => empty))), packed),
      await send(zip('id\nada\n'), { ...packed, 'content-encoding': 'br' }),
    ]

    expect(bomb.length).toBeLessThan(300_000)
    expect(answers.map(({ status }) => status)).toEqual([413, 400, 400, 400, 415])
    expect(answers[0]?.json['detail']).toMatch(/at most 50 MB/)
    expect(answers.slice(1, 3).map(({ json }) => json['detail'])).toEqual(Array(2).fill('The body is not valid gzip.'))
  },
)

test('calls are answered while rows are read, even if a kilobyte holds thousands of rows', async () => {
  const rows = 16 * 1_000
  const body = zip(`id\n${'ada-packed\n'.repeat(rows)}`)
  let isRead = false
  const reading = send(body, packed, '/preview').finally(() => (isRead = true))
  let answered = 0
  for (; !isRead; answered++) await fetch(`${service.url}/healthz`)
  const priced = await reading

  expect(body.length).toBeLessThan(2_048)
  expect(priced.json).toMatchObject({ rows, distinct: 1 })
  // They are decompressed in 11 chunks, and read in 250 steps.
  expect(answered).toBeGreaterThan(50)
})
