import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../harness/test-service.ts'

const person = '/v1/people/profile?profile_id=sample-complete'
let quick: TestService
let usual: TestService
const keys = new Map<TestService, string>()

beforeAll(async () => {
  ;[quick, usual] = await Promise.all([startTestService(), startTestService({ fastPath: false })])
  for (const service of [quick, usual]) keys.set(service, (await service.makeKey({ mode: 'test' })).key)
})
afterAll(() => Promise.all([quick.close(), usual.close()]))

interface Heard {
  status: number
  headers: Record<string, string | string[] | undefined>
  bytes: Buffer
}

/** Requests without automatic decompression. */
function ask(service: TestService, path: string, headers: Record<string, string> = {}): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const sent = request(`${service.url}${path}`, { headers: { ApiKey: keys.get(service), ...headers } }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(chunks) }),
      )
    })
    sent.on('error', reject)
    sent.end()
  })
}

test.each([
  ['gzip', 'gzip, deflate', gunzipSync],
  ['zstd', 'gzip;q=1.0, br, zstd', zstdDecompressSync],
  ['gzip', 'zstd;q=0, GZIP;q=0.5', gunzipSync],
])('a record has the same bytes behind %s, for clients that send "%s"', async (coding, asked, decode) => {
  for (const service of [quick, usual]) {
    const plain = await ask(service, person)
    const coded = await ask(service, person, { 'Accept-Encoding': asked })

    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(coded.headers['content-encoding']).toBe(coding)
    expect(Number(coded.headers['content-length'])).toBe(coded.bytes.byteLength)
    expect(coded.bytes.byteLength).toBeLessThan(plain.bytes.byteLength / 2)
    expect(decode(coded.bytes).equals(plain.bytes)).toBe(true)
    expect(coded.headers['vary']).toContain('Accept-Encoding')
    expect(Object.keys(coded.headers).filter((name) => name !== 'content-encoding')).toEqual(Object.keys(plain.headers))
  }
})

test.each(['identity', 'br, deflate', 'gzip;q=0', 'zstd;q=0.000, gzip; q=0', '*', ''])(
  'an answer stays plain for those who send "%s"',
  async (asked) => {
    for (const service of [quick, usual]) {
      const answer = await ask(service, person, { 'Accept-Encoding': asked })

      expect(answer.headers['content-encoding']).toBeUndefined()
      expect(JSON.parse(answer.bytes.toString())).toMatchObject({ public_identifier: expect.any(String) })
    }
  },
)

test('small answers and failures stay uncompressed', async () => {
  const wanted = { 'Accept-Encoding': 'gzip, zstd' }

  const answers = [
    await ask(quick, `${person}&fields=headline`, wanted),
    await ask(quick, `${person}&max_age_days=x`, wanted),
    await ask(quick, '/v1/batches', wanted),
    await ask(quick, '/healthz', wanted),
  ]

  expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 200])
  expect(answers.map(({ headers }) => headers['content-encoding'])).toEqual(answers.map(() => undefined))
})

test('other large answers are compressed too, and batch results while they are streamed', async () => {
  const sent = { ApiKey: keys.get(quick) ?? '', 'content-type': 'application/json' }
  const ids = Array.from({ length: 40 }, (_, index) => `sample-${index}`)
  const submitted = await quick.get('/v1/batches', sent, 'POST', JSON.stringify({ kind: 'people', ids }))
  const { id } = submitted.json as { id: string }
  await expect.poll(async () => (await ask(quick, `/v1/batches/${id}`)).bytes.toString()).toContain('"completed"')

  for (const path of ['/v1/events', `/v1/batches/${id}/results`, `/v1/batches/${id}/results?format=csv`]) {
    const plain = await ask(quick, path)
    for (const [coding, decode] of [
      ['gzip', gunzipSync],
      ['zstd', zstdDecompressSync],
    ] as const) {
      const coded = await ask(quick, path, { 'Accept-Encoding': coding })
      expect(coded.headers['content-encoding']).toBe(coding)
      expect(coded.headers['content-type']).toBe(plain.headers['content-type'])
      expect(decode(coded.bytes).toString()).toBe(plain.bytes.toString())
    }
  }
})
