import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FakeProvider } from '../../fake-provider/fake-provider.ts'
import { startFakeProvider } from '../../fake-provider/start-fake-provider.ts'
import { startTestService, type TestService } from '../harness/test-service.ts'
import { BatchCaller } from './batch-caller.ts'

let pdl: FakeProvider
let service: TestService
const caller = async (credits: number, wish: Record<string, unknown> = {}) => {
  const made = await service.newCaller(credits, wish)
  return { ...made, batches: new BatchCaller(service.url, made.key) }
}
const csv = { 'content-type': 'text/csv' }
const ndjson = { 'content-type': 'application/x-ndjson' }

beforeAll(async () => {
  pdl = await startFakeProvider({ provider: 'peopledatalabs' })
  service = await startTestService({
    realClock: true,
    env: {
      VITAE_UPSTREAM: 'peopledatalabs',
      VITAE_PEOPLEDATALABS_URL: pdl.url,
      VITAE_PEOPLEDATALABS_KEY: pdl.key,
    },
    fixed: { priceLines: [{ by: 'match', credits: 3 }] },
  })
})
afterAll(() => Promise.all([service.close(), pdl.close()]))

test('rows are matched like the match endpoint, each question is paid once, and invalid rows name their field', async () => {
  const { batches, balance } = await caller(100)
  const rows = [
    { email: 'ilse-rows@acme.example', crm_id: 17 },
    { email: ' Ilse-Rows@ACME.example', crm_id: 18 },
    { email: 'nobody', phone: '12' },
    { first_name: 'Ada' },
    { email: 'missing-rows@acme.example' },
    { profile_id: 'hugo-rows' },
    'hugo-rows',
    { email: 'ilse-rows@acme.example', last_name: 'Xylophonist' },
    { company: 'Acme' },
    null,
  ]

  const id = await batches.submit({ kind: 'people', ids: rows })
  const batch = await batches.until(id)
  const results = await batches.results(id)

  expect(results.map(({ status, error }) => [status, error])).toEqual([
    ['found', null],
    ['found', null],
    ['invalid', 'invalid_request'],
    ['invalid', 'invalid_request'],
    ['not_found', 'no_match'],
    ['found', null],
    ['found', null],
    ['not_found', expect.stringMatching(/identity_mismatch|no_match/)],
    ['invalid', 'invalid_request'],
    ['invalid', 'invalid_request'],
  ])
  expect(results.map(({ likelihood, matched_on: on }) => [likelihood, on]).slice(0, 2)).toEqual([
    [0.9, ['email']],
    [0.9, ['email']],
  ])
  expect([results[0]?.input, results[0]?.columns]).toEqual([{ email: 'ilse-rows@acme.example' }, { crm_id: 17 }])
  expect(results[2]?.detail).toBe(
    'email must be an e-mail address; phone must be a phone number with its country code: +49 30 ...',
  )
  expect(results[3]?.detail).toMatch(/^email is missing/)
  // The match by an address, and the profile that two rows name, one of them as a match.
  expect(batch.credits_spent).toBe(results.reduce((sum, { credits }) => sum + credits, 0))
  expect([4, 6]).toContain(batch.credits_spent)
  expect(await balance()).toBe(100 - batch.credits_spent)
})

test('CSV columns are read by name or mapping, and results return them in order before ours', async () => {
  const { batches } = await caller(100)
  const text = 'status;Work e-mail;note;note\r\nlead;vera-mapped@acme.example;=1+1;"a;b"\r\nold;;x;y;z\r\n'
  const byName = 'email,company_domain,crm\nrosa-named@acme.example,acme.example,17\n'

  const mapped = await batches.submit(text, csv, '?kind=people&map.email=Work%20e-mail&paths=first_name')
  const named = await batches.submit(byName, csv, '?kind=people&fields=headline')
  const lines = await batches.submit(
    '{"mail":"vera-mapped@acme.example","deal":{"size":3}}\n{"id":"hugo-line"}\n',
    ndjson,
    '?kind=people&map.email=mail',
  )
  for (const id of [mapped, named, lines]) await batches.until(id)
  const file = (await batches.ask(`/v1/batches/${mapped}/results?format=csv`)).text.split('\r\n')
  const [first, second] = await batches.results(mapped)

  expect(file[0]).toBe(
    'input_status,Work e-mail,note,note_2,extra_1,row,input,status,error,detail,source,fetched_at,credits,request_id,likelihood,matched_on,first_name',
  )
  expect(file[1]).toMatch(
    /^lead,vera-mapped@acme\.example,'=1\+1,a;b,,1,"\{""email"":""vera-mapped@acme\.example""\}",found,,,live,/,
  )
  expect(file[1]).toMatch(/,0\.9,email,[^,]+$/)
  expect(file[2]).toMatch(/^old,,x,y,z,2,,invalid,invalid_request,/)
  expect(first?.columns).toEqual({
    status: 'lead',
    'Work e-mail': 'vera-mapped@acme.example',
    note: '=1+1',
    note_2: 'a;b',
    extra_1: '',
  })
  expect([second?.status, second?.detail]).toEqual(['invalid', expect.stringMatching(/is missing/)])
  expect((await batches.results(named))[0]).toMatchObject({
    status: 'found',
    input: { email: 'rosa-named@acme.example', company_domain: 'acme.example' },
    columns: { crm: '17' },
  })
  expect((await batches.results(lines)).map(({ status, columns }) => [status, columns])).toEqual([
    ['found', { deal: { size: 3 } }],
    ['found', null],
  ])
})

test('an unknown expectation is refused in the query, the body, a column or a row, and nothing is billed', async () => {
  const { batches, balance } = await caller(10)
  const refused = await Promise.all([
    batches.post('id\nada\n', csv, '?kind=people&column=id&expect.lastname=Quill'),
    batches.post('id,expect.lastname\nada,Quill\n', csv, '?kind=people&column=id'),
    batches.post(JSON.stringify({ kind: 'people', ids: ['ada'], expect: { lastname: 'Quill' } })),
    batches.post(JSON.stringify({ kind: 'companies', ids: ['acme'], expect: { last_name: 'Quill' } })),
  ])
  const rows = [
    { id: 'ada', expect: { lastname: 'Quill' } },
    { id: 'bea', 'expect[last_name]': 'Quill' },
  ]
  const id = await batches.submit({ kind: 'people', ids: rows })
  await batches.until(id)
  const results = await batches.results(id)

  expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400])
  expect(results.map(({ status }) => status)).toEqual(['invalid', 'invalid'])
  expect(await balance()).toBe(10)
})

test('an invalid mapping is refused with a message', async () => {
  const { batches } = await caller(10)
  const refused = await Promise.all([
    batches.post('a,b\n1,2\n', csv, '?kind=people'),
    batches.post('a,b\n1,2\n', csv, '?kind=people&map.email=c'),
    batches.post('a,b\n1,2\n', csv, '?kind=people&column=a&map.email=b'),
    batches.post('a,b\n1,2\n', csv, '?kind=people&map.mail=b'),
    batches.post(`${Array.from({ length: 1_001 }, (_, at) => `c${at}`).join(',')}\n1\n`, csv, '?kind=people&column=c1'),
  ])

  expect(
    refused.map(({ status, json }) => [status, (json['errors'] as { parameter: string }[])[0]?.parameter]),
  ).toEqual([
    [400, 'column'],
    [400, 'map.email'],
    [400, 'map.email'],
    [400, 'map.mail'],
    [400, 'body'],
  ])
  expect(refused[0]?.json['detail']).toMatch(/email, phone.*which has: a, b/)
})

test('a preview counts matches: each question once, at the price of a match', async () => {
  const { batches } = await caller(100)
  const ids = [{ email: 'a@acme.example' }, { email: 'A@acme.example', crm: 1 }, 'hugo-priced', { email: 'no' }]

  const { json } = await batches.post({ kind: 'people', ids }, {}, '/preview')

  expect(json).toMatchObject({ rows: 4, distinct: 2, invalid: 1, highest_credits: 4 })
})

test('companies are matched by name, domain and country', async () => {
  const { batches } = await caller(100)
  const text = 'name,domain,country,owner\n,https://www.unreal-bridges.example/about,,Bo\n,,,\nAcme,,Germany,\n'

  const id = await batches.submit(text, csv, '?kind=companies')
  await batches.until(id)
  const rows = await batches.results(id)

  expect(rows.map(({ status, matched_on: on }) => [status, on?.includes('domain') ?? null])).toEqual([
    ['found', true],
    ['invalid', null],
    ['invalid', null],
  ])
  expect(rows[2]?.detail).toBe('country must be two letters such as DE')
})

test('a test key can try matches: samples, likelihoods and the three failures', async () => {
  const { batches } = await caller(0, { mode: 'test' })
  const ids = ['x', 'sample-not-found', 'sample-ambiguous', 'sample-mismatch'].map((name) => ({
    email: `${name}@example.com`,
  }))

  const id = await batches.submit({ kind: 'people', ids })
  await batches.until(id)
  const rows = await batches.results(id)

  expect(rows.map(({ status, error, likelihood }) => [status, error, likelihood])).toEqual([
    ['found', null, 0.95],
    ['not_found', 'no_match', null],
    ['not_found', 'ambiguous_match', null],
    ['not_found', 'identity_mismatch', null],
  ])
})

test('erased or suppressed people disappear from match rows with their columns, even if only an address names them', async () => {
  const { batches } = await caller(100)
  const other = await caller(100)
  const ids = [
    { email: 'wanda-gone@acme.example', secret_note: 'xqznote-gone' },
    { email: 'karl-stays@acme.example', secret_note: 'stays' },
  ]
  const id = await batches.submit({ kind: 'people', ids })
  await batches.until(id)
  // This identifier finds nobody any more, but it names her.
  const waiting = await other.batches.submit({ kind: 'people', ids, max_credits: 0 })
  await other.batches.until(waiting)

  await service.admin('POST', '/records/people/wanda-gone/erase', { reason: 'asked for' })
  const rows = await batches.results(id)
  const resumed = await other.batches.change(waiting, 'resume', { max_credits: 100 })
  await other.batches.until(resumed.id)
  const later = await other.batches.results(waiting)

  for (const some of [rows, later]) {
    expect(some.map(({ status }) => status)).toEqual(['not_found', 'found'])
    expect(some[0]).toMatchObject({ input: null, columns: null, record: null, likelihood: null })
    expect(some[1]?.columns).toEqual({ secret_note: 'stays' })
  }
})
