import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../harness/test-service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
  await service.person('ada')
})
afterAll(() => service.close())

const receiptOf = (requestId: string | null) => service.admin<{ tag: string | null }>('GET', `/receipts/${requestId}`)
const tagged = (tag: string, more: Record<string, string> = {}) =>
  service.person('ada', '', { ApiKey: service.liveKey, 'X-Spend-Tag': tag, ...more })

test('a tag is kept with the call and its receipt, and usage is counted by it', async () => {
  const { key, project } = await service.newCaller(10)
  const call = (id: string, tag?: string) =>
    service.person(id, '', { ApiKey: key, ...(tag === undefined ? {} : { 'X-Spend-Tag': tag }) })
  const stored = await call('ada', 'spring-campaign')
  const fetched = await call('grace', 'spring-campaign')
  const missing = await call('missing-person', 'autumn_2026.v1')
  const plain = await call('ada')

  const ids = [stored, fetched, missing, plain].map(({ headers }) => headers.get('x-request-id'))
  const receipts = await Promise.all(ids.map(receiptOf))
  const { rows } = await service.admin<{ rows: object[] }>('GET', `/usage?group=tag&project=${project}`)
  const { calls } = await service.admin<{ calls: { tag: string | null }[] }>('GET', `/calls?project=${project}&limit=4`)

  const tags = ['spring-campaign', 'spring-campaign', 'autumn_2026.v1', null]
  expect(receipts.map(({ tag }) => tag)).toEqual(tags)
  expect(new Set(calls.map(({ tag }) => tag))).toEqual(new Set(tags))
  expect(rows).toMatchObject([
    { tag: 'autumn_2026.v1', calls: 1, credits: 0 },
    { tag: 'spring-campaign', calls: 2, credits: 2 },
    { tag: null, calls: 1, credits: 1 },
  ])
})

test('a retry with another tag is still the same call', async () => {
  const first = await tagged('one', { 'Idempotency-Key': 'tagged' })
  const retry = await tagged('two', { 'Idempotency-Key': 'tagged' })

  expect([first.status, retry.status]).toEqual([200, 200])
  expect(retry.headers.get('idempotent-replayed')).toBe('true')
  expect(await receiptOf(retry.headers.get('x-request-id'))).toMatchObject({ tag: 'two', credits: 0 })
})

test.each(['', 'two words', 'a,b', 'x'.repeat(65), 'späte-kampagne', '=cmd', 'a/b'])(
  'the tag %j is refused, with a test key too',
  async (tag) => {
    const bytes = Buffer.from(tag).toString('latin1')
    for (const mode of ['live', 'test'] as const) {
      const { key } = await service.makeKey({ mode })
      const answer = await tagged(bytes, { ApiKey: key })
      expect(answer.status).toBe(400)
      expect(answer.json['errors']).toMatchObject([{ parameter: 'X-Spend-Tag' }])
    }
  },
)

test('the tag of a test key is checked and then ignored', async () => {
  const { key } = await service.makeKey({ mode: 'test' })

  const answer = await tagged('x'.repeat(64), { ApiKey: key })

  expect(answer.status).toBe(200)
  expect(await receiptOf(answer.headers.get('x-request-id'))).toMatchObject({ mode: 'test', tag: null })
})
