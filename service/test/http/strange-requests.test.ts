import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../harness/test-service.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  service.get(path, { ApiKey: service.liveKey, 'content-type': 'application/json', ...headers }, 'POST', body)
const errorsOf = ({ json }: { json: Record<string, unknown> }) => json['errors'] as { parameter: string }[]

test.each([
  ['/%FF', 404],
  ['/docs/%', 404],
  ['/docs/nothing.js', 404],
  ['/v1/receipts/%E0%A4%A', 404],
  ['/v1/batches/%FF', 404],
  [`/v1/receipts/${'a'.repeat(6_000)}`, 400],
  ['/admin/v1/keys/%FF', 401],
  ['/admin/%C3%28', 401],
])('a path that is unknown or cannot be decoded, %s, is answered in the usual form', async (path, status) => {
  const answer = await service.get(path, { ApiKey: service.liveKey })

  expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/problem+json'])
  expect(answer.json).toMatchObject({ status, request_id: answer.headers.get('x-request-id') })
  expect(answer.headers.get('cache-control')).toBe('private, no-store')
})

test('a path that cannot be decoded still requires the key first', async () => {
  expect((await service.get('/v1/batches/%FF')).text).toBe('missing_api_key')
})

test.each(['/v1/account', '/v1/usage', '/v1/watches', '/v1/batches', '/v1/companies/resolve?domain=acme.example'])(
  'parameters that %s does not know are named, as in the lookups',
  async (path) => {
    const { headers } = await service.get(`${path}${path.includes('?') ? '&' : '?'}utm_source=x&limits=9`, {
      ApiKey: service.liveKey,
    })

    expect(headers.get('x-ignored-parameters')).toBe('utm_source, limits')
  },
)

test('a body with unknown members names each of them once, and nothing else', async () => {
  const match = await post('/v1/people/match', '{"email":"ada@acme.example","emial":1,"constructor":2}')
  const watch = await post('/v1/watches', '{"kind":"people","match":{"email":"ada@acme.example","emial":1}}')

  expect(errorsOf(match)).toEqual([
    { parameter: 'emial', detail: 'is not known' },
    { parameter: 'constructor', detail: 'is not known' },
  ])
  expect(errorsOf(watch)).toEqual([{ parameter: 'match.emial', detail: 'is not known' }])
})

test.each(['{', '', '{"__proto__":1}', '{"a":1}x'])(
  'a body that is not JSON, %j, is a 400 that names it',
  async (body) => {
    const answer = await post('/v1/people/match', body)

    expect([answer.status, errorsOf(answer)]).toEqual([400, [{ parameter: 'body', detail: 'cannot be read' }]])
  },
)

test('a body of another type is 415', async () => {
  const answer = await post('/v1/people/match', '{"email":"ada@acme.example"}', { 'content-type': 'text/plain' })

  expect([answer.status, answer.json['code']]).toEqual([415, 'unsupported_media_type'])
})

test.each([
  '2026-02-30',
  '2025-02-29',
  '2026-11-31T00:00:00Z',
  '2026-13-01',
  '2026-11-01T25:00:00Z',
  '2026-11-01 10:00',
])('an impossible date, %s, is refused everywhere', async (moment) => {
  const key = { project: 'acme', environment: 'production', mode: 'test', expires_at: moment }
  const answers = await Promise.allSettled([
    service.admin('GET', `/calls?since=${encodeURIComponent(moment)}`),
    service.admin('POST', '/keys', key),
    service.admin('POST', '/prices', { valid_from: moment, lines: [{ credits: 1 }] }),
  ])
  const own = await service.get(`/v1/usage?from=${encodeURIComponent(moment)}`, { ApiKey: service.liveKey })

  expect(own.status).toBe(400)
  for (const answer of answers)
    expect(answer).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining(': 400 {') } })
})

test('a time without a zone is UTC', async () => {
  const { json } = await service.get('/v1/usage?from=2026-11-01T10:00:00', { ApiKey: service.liveKey })

  expect(json['from']).toBe('2026-11-01T10:00:00.000Z')
})
