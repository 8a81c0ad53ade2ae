import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../harness/test-service.ts'
import { BatchCaller } from './batch-caller.ts'

let service: TestService
const caller = async (credits: number, wish: Record<string, unknown> = {}) => {
  const made = await service.newCaller(credits, wish)
  return { ...made, batches: new BatchCaller(service.url, made.key) }
}

beforeAll(async () => {
  service = await startTestService({ realClock: true })
})
afterAll(() => service.close())

test('one identifier in many forms is fetched and paid once, even if its rows run concurrently and their kind is known last', async () => {
  const { batches, balance } = await caller(10)
  const forms = ['ada-twice', 'https://www.linkedin.com/in/Ada-Twice/?x=1', 'ADA-TWICE', { id: 'ada-twice', crm: 7 }]
  const ids = Array.from({ length: 60 }, (_, index) => forms[index % forms.length])

  const ends = []
  for (const body of [
    { kind: 'people', ids },
    { ids, kind: 'people', bypass_cache: true },
  ]) {
    const id = await batches.submit(body)
    const batch = await batches.until(id)
    const rows = await batches.results(id)
    ends.push({ batch, rows, left: await balance() })
  }

  for (const { batch, rows } of ends) {
    expect(batch).toMatchObject({ status: 'completed', credits_spent: 1, counts: { found: 60 } })
    expect(rows.filter(({ credits }) => credits > 0)).toHaveLength(1)
    expect(new Set(rows.map(({ request_id: requestId }) => requestId)).size).toBe(1)
    expect(new Set(rows.map(({ record }) => JSON.stringify(record))).size).toBe(1)
    expect(rows[3]?.columns).toEqual({ crm: 7 })
  }
  expect(ends.map(({ left }) => left)).toEqual([9, 8])
  expect(service.upstream.requests.filter(({ path }) => path.includes('ada-twice'))).toHaveLength(2)
})

test('rows that are already paid need no more credits: a limit for the distinct ids answers every row', async () => {
  const { batches, balance } = await caller(10)
  const ids = ['ada-limit', 'grace-limit', 'ada-limit', 'grace-limit', 'ada-limit']

  const id = await batches.submit({ kind: 'people', ids, max_credits: 2 })
  const batch = await batches.until(id)

  expect(batch).toMatchObject({ status: 'completed', credits_spent: 2, counts: { found: 5 } })
  expect(await balance()).toBe(8)
})

test('the expectation of each row is compared with the shared answer, and a contradiction costs nothing', async () => {
  const { batches, balance } = await caller(10)
  const first = await service.get('/v1/people/profile?profile_id=ada-shared', { ApiKey: batches.key })
  const { last_name: right } = first.json as { last_name: string }
  const before = await balance()

  const id = await batches.submit({
    kind: 'people',
    ids: [
      { id: 'ada-shared', expect: { last_name: right } },
      { id: 'ada-shared', expect: { last_name: 'Xylophonist' } },
      { id: 'ada-shared', 'expect.last_name': right.toUpperCase() },
      { id: 'ada-shared', expect: { last_name: 17, country_code: 'Germany' } },
    ],
  })
  const batch = await batches.until(id)
  const rows = await batches.results(id)

  expect(rows.map(({ status, error }) => [status, error])).toEqual([
    ['found', null],
    ['not_found', 'identity_mismatch'],
    ['found', null],
    ['invalid', 'invalid_request'],
  ])
  expect(rows[1]?.detail).toContain('expect.last_name')
  expect(rows[3]?.detail).toBe('expect.country_code must be two letters such as DE')
  expect(batch.credits_spent).toBe(1)
  expect(await balance()).toBe(before - 1)
})

test('require, expect and fields of a batch work as in a lookup', async () => {
  const { batches } = await caller(20)
  const lookup = await service.get('/v1/people/profile?profile_id=ada-alike&fields=headline,location', {
    ApiKey: batches.key,
  })

  const id = await batches.submit({ kind: 'people', ids: ['ada-alike'], fields: ['location', 'headline'] })
  await batches.until(id)
  const strict = await batches.submit(
    'id\nada-alike\n',
    { 'content-type': 'text/csv' },
    '?kind=people&require=test_scores',
  )
  await batches.until(strict)
  const other = await batches.submit({ kind: 'people', ids: ['ada-alike'], expect: { first_name: 'Xylophonist' } })
  await batches.until(other)
  const refused = await Promise.all(
    [
      { fields: ['location.name'] },
      { fields: ['headline'], paths: ['headline'] },
      { require: ['contact_info.email_address'] },
      { expect: { surname: 'x' } },
      { min_likelihood: 2 },
    ].map((wrong) => batches.post({ kind: 'people', ids: ['ada-alike'], ...wrong })),
  )

  expect((await batches.results(id))[0]?.record).toEqual(lookup.json)
  expect(Object.keys(lookup.json)).toEqual(['member_urn', 'headline', 'location'])
  const [lacking] = await batches.results(strict)
  expect([lacking?.status, lacking?.error, lacking?.credits]).toEqual(['not_found', 'required_fields_missing', 0])
  expect(lacking?.detail).toContain('test_scores')
  expect((await batches.results(other))[0]?.error).toBe('identity_mismatch')
  expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 400))
  expect(refused.map(({ json }) => (json['errors'] as { parameter: string }[])[0]?.parameter)).toEqual([
    'fields',
    'paths',
    'require',
    'expect.surname',
    'min_likelihood',
  ])
})
