import { afterAll, beforeAll, expect, test } from 'vitest'
import { otherTags, SpendTags } from '../../../src/credits/spend-tags.ts'
import { openTestService, startTestService, type TestService } from '../../harness/test-service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
  await service.person('ada')
})
afterAll(() => service.close())

const receiptOf = (requestId: string | null) => service.admin<{ tag: string | null }>('GET', `/receipts/${requestId}`)
const tagged = (tag: string, more: Record<string, string> = {}) =>
  service.person('ada', '', { ApiKey: service.liveKey, 'X-Spend-Tag': tag, ...more })

test('a tag is stored with the call and its receipt, and usage is grouped by it', async () => {
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

test('the tag of a test key is validated and then ignored', async () => {
  const { key } = await service.makeKey({ mode: 'test' })

  const answer = await tagged('x'.repeat(64), { ApiKey: key })

  expect(answer.status).toBe(200)
  expect(await receiptOf(answer.headers.get('x-request-id'))).toMatchObject({ mode: 'test', tag: null })
})

test("beyond the daily maximum of tags an environment's calls are counted together, the answer says so, and no report grows", async () => {
  const own = await openTestService({ fixed: { tagsPerDay: 2 } })
  const { key, project } = await own.newCaller(20)
  const call = async (id: string, tag: string) => {
    const answer = await own.person(id, '', { ApiKey: key, 'X-Spend-Tag': tag })
    return [answer.status, answer.headers.get('x-spend-tag-counted-as')]
  }

  const today = [await call('ada', 'a'), await call('ada', 'b'), await call('ada', 'c'), await call('missing-one', 'd')]
  await own.restart()
  today.push(await call('ada', 'e'), await call('ada', 'a'))
  own.clock.advance({ days: 1 })
  const tomorrow = await call('ada', 'e')

  expect(today).toEqual([
    [200, null],
    [200, null],
    [200, '(other)'],
    [404, '(other)'],
    [200, '(other)'],
    [200, null],
  ])
  expect(tomorrow).toEqual([200, null])
  const { rows } = await own.admin<{ rows: object[] }>('GET', `/usage?group=tag&project=${project}&per=month`)
  expect(rows).toMatchObject([
    { tag: '(other)', calls: 3, credits: 2 },
    { tag: 'a', calls: 2, credits: 2 },
    { tag: 'b', calls: 1, credits: 1 },
    { tag: 'e', calls: 1, credits: 1 },
  ])
})

test('the store is asked once per new tag, and not for a known one or when the day is full', async () => {
  const { key } = await service.newCaller(0)
  const { store, keyCache } = service.service
  const { environmentId } = await keyCache.find(key)
  const asked: string[] = []
  const registerTag: typeof store.credits.registerTag = (args) => {
    asked.push(args.tag)
    return store.credits.registerTag(args)
  }
  const tags = new SpendTags({ store: { credits: { registerTag } }, clock: service.clock, atMost: 2 })

  for (const tag of ['a', 'a', 'b', 'b', 'a', 'c', 'd', 'b']) await tags.countedAs(environmentId, tag)

  expect(asked).toEqual(['a', 'b'])
  expect(tags.countedAs(environmentId, 'a')).toBe('a')
  expect(tags.countedAs(environmentId, 'x')).toBe(otherTags)
})

test('two processes that see the last free slot do not both take it', async () => {
  const { key } = await service.newCaller(0)
  const { store, keyCache } = service.service
  const { environmentId } = await keyCache.find(key)
  const of = { environmentId, day: '2026-11-14', atMost: 3 }

  const taken = await Promise.all(
    Array.from({ length: 8 }, (_, at) => store.credits.registerTag({ ...of, tag: `t${at}` })),
  )

  expect(taken.filter(({ counted }) => counted).length).toBe(3)
})
