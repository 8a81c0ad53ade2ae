import type { Person } from '@vitae/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectContractRules } from '../../contract-rules.ts'
import { callTool, connect } from '../../mcp/mcp-client.ts'
import { startTestService, type TestService } from '../../harness/test-service.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const slug = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,40}[a-z0-9]$/).filter((text) => !/^\d+$/.test(text))

test('any identifier returns a complete, valid and repeatable record to a test key, with all headers', async () => {
  const { key } = await service.makeKey({ mode: 'test' })
  for (const id of fc.sample(slug, { numRuns: 200, seed: 7 })) {
    const parts = '&include_contact_info=true&include_network_info=true&get_verification_details=true'
    const [person, again, company] = await Promise.all([
      service.person(id, parts, { ApiKey: key }),
      service.person(id, parts, { ApiKey: key }),
      service.company(id, '', { ApiKey: key }),
    ])
    expect(again.text).toBe(person.text)
    expectContractRules('people', person.json)
    expectContractRules('companies', company.json)
    for (const answer of [person, company]) {
      expect(answer.headers.get('x-data-source')).toBe('live')
      expect(answer.headers.get('x-data-age-seconds')).toBe('0')
      expect(answer.headers.get('x-fetched-at')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
      expect(answer.headers.get('x-ratelimit-limit')).toBe('100000')
      expect(answer.headers.get('x-credits-remaining')).toBeNull()
    }
  }
  expect(service.upstream.requests).toEqual([])
  expect(await service.balance()).toEqual({ balance: 1_000, held: 0, available: 1_000 })
})

test('the URNs in a sample return the same person to a test key', async () => {
  const { key } = await service.makeKey({ mode: 'test' })
  const first = await service.person('anybody', '', { ApiKey: key })
  for (const urn of [first.json['member_urn'], first.json['entity_urn']]) {
    const again = await service.person(String(urn), '', { ApiKey: key })
    expect(again.json).toMatchObject({ member_urn: first.json['member_urn'], entity_urn: first.json['entity_urn'] })
  }
  const other = await service.person('urn:li:member:5', '', { ApiKey: key })
  expect(other.json['member_urn']).toBe('urn:li:member:5')
})

test('a derived company id returns a record to a test key on every surface', async () => {
  const { key } = await service.makeKey({ mode: 'test' })
  const id = 'vitae-0123456789abcdef'
  const headers = { ApiKey: key, 'content-type': 'application/json' }

  const company = await service.company(id, '', { ApiKey: key })
  const preflight = await service.get(`/v1/companies/details/preflight?company_id=${id}`, { ApiKey: key })
  const watch = await service.get('/v1/watches', headers, 'POST', JSON.stringify({ kind: 'companies', id }))
  const client = await connect(service.url, key)
  const tool = await callTool(client, 'lookup_company', { company_id: id })
  await client.close()

  expect([company, preflight, watch].map(({ status }) => status)).toEqual([200, 200, 201])
  expectContractRules('companies', company.json)
  expect(company.json.company_id).toBe(id)
  expect(preflight.json).toMatchObject({ source: 'live' })
  expect(watch.json).toMatchObject({ identifier: id, last_result: 'live' })
  expect(tool).toMatchObject({ isError: false })
})

test('a requested part is an object in every sample, except network_info', async () => {
  const { key } = await service.makeKey({ mode: 'test' })
  const parts = '&include_contact_info=true&include_network_info=true&get_verification_details=true'
  for (const id of ['sample-sparse', 'sample-stored', 'somebody']) {
    const { json } = await service.person(id, parts, { ApiKey: key })
    expect(json, id).toMatchObject({ contact_info: { websites: [] }, verifications: { sections: expect.any(Array) } })
    const only = await service.person(id, `${parts}&fields=verifications`, { ApiKey: key })
    expect(only.json['verifications'], id).toEqual(json['verifications'])
  }
})

test('the optional parts of a person are null unless requested', async () => {
  const { key } = await service.makeKey({ mode: 'test' })
  const plain = await service.person('sample-complete', '', { ApiKey: key })
  expect(plain.json).toMatchObject({ network_info: null, contact_info: null, verifications: null })
  const full = await service.person(
    'sample-complete',
    '&include_contact_info=true&include_network_info=true&get_verification_details=true',
    { ApiKey: key },
  )
  expect(full.json).toMatchObject({
    network_info: expect.any(Object),
    contact_info: expect.any(Object),
    verifications: expect.any(Object),
  })
  const usual = await service.person('someone', '&include_contact_info=true&include_network_info=true', { ApiKey: key })
  expect(usual.json).toMatchObject({
    network_info: null,
    contact_info: { email_address: null, phone_numbers: [], websites: [], twitter_handles: [] },
  })
})

test.each([
  ['sample-not-found', 404, '"code":"not_found"'],
  ['sample-out-of-credits', 402, 'out_of_credits'],
  ['sample-ceiling-reached', 402, 'credit_ceiling_reached'],
  ['sample-forbidden', 403, 'project_suspended'],
  ['sample-rate-limited', 429, 'rate_limit_exceeded'],
  ['sample-upstream-down', 503, '"code":"upstream_unavailable"'],
])('%s plays its situation at both endpoints', async (id, status, body) => {
  const { key } = await service.makeKey({ mode: 'test' })
  for (const answer of [
    await service.person(id, '', { ApiKey: key }),
    await service.company(id, '', { ApiKey: key }),
  ]) {
    expect(answer.status).toBe(status)
    expect(answer.text).toContain(body)
    if (status === 429 || status === 503) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  }
})

const onlyIfCached = { 'Cache-Control': 'only-if-cached' }
const refuseStale = { 'Cache-Control': 'stale-if-error=0' }

test.each([
  [
    'sample-stored is a copy of three days, and its provider answers',
    'sample-stored',
    [
      ['', {}, 200, 'store', 3],
      ['&max_age_days=3', {}, 200, 'store', 3],
      ['&max_age_days=2.5', {}, 200, 'live', 0],
      ['&max_age_days=0', {}, 200, 'live', 0],
      ['&bypass_cache=true', {}, 200, 'live', 0],
      ['&max_age_days=0', refuseStale, 200, 'live', 0],
      ['', onlyIfCached, 200, 'store', 3],
      ['&max_age_days=0', onlyIfCached, 504, null, null],
    ],
  ],
  [
    'sample-stale is a copy of nine days, and its provider is down',
    'sample-stale',
    [
      ['', {}, 200, 'stale_fallback', 9],
      ['&max_age_days=0', {}, 200, 'stale_fallback', 9],
      ['&max_age_days=30', {}, 200, 'stale_fallback', 9],
      ['&bypass_cache=true', {}, 503, null, null],
      ['', refuseStale, 503, null, null],
      ['', onlyIfCached, 504, null, null],
    ],
  ],
  [
    'every other sample is not stored, and its provider answers',
    'somebody',
    [
      ['&max_age_days=7', {}, 200, 'live', 0],
      ['&bypass_cache=true', {}, 200, 'live', 0],
      ['', onlyIfCached, 504, null, null],
    ],
  ],
] as const)('%s', async (_, id, calls) => {
  const { key } = await service.makeKey({ mode: 'test' })
  const { text } = await service.person(id, '', { ApiKey: key })
  for (const [query, headers, status, source, days] of calls) {
    const person = await service.person(id, query, { ApiKey: key, ...headers })
    const company = await service.company(id, query, { ApiKey: key, ...headers })
    if (status === 200) expect(person.text).toBe(text)
    for (const answer of [person, company]) {
      expect(answer.status, query).toBe(status)
      expect(answer.headers.get('x-data-source'), query).toBe(source)
      if (days === null) continue
      expect(answer.headers.get('x-data-age-seconds')).toBe(String(days * 86_400))
      expect(Date.parse(answer.headers.get('x-fetched-at') ?? '')).toBe(service.clock.now() - days * 86_400_000)
    }
  }
})

test('the URL of a showcase page returns a showcase page, and its slug an ordinary company', async () => {
  const { key } = await service.makeKey({ mode: 'test' })
  const isShowcase = async (id: string) => (await service.company(id, '', { ApiKey: key })).json.is_showcase
  expect(await isShowcase('https://www.linkedin.com/showcase/some-product/?trk=x')).toBe(true)
  expect(await isShowcase('some-product')).toBe(false)
  expect(await isShowcase('https://www.linkedin.com/company/some-product?from=/showcase/')).toBe(false)
})

test('contact details have a birth date in every sample except the sparse one', async () => {
  const { key } = await service.makeKey({ mode: 'test' })
  const birthDate = async (id: string) => {
    const { text } = await service.person(id, '&include_contact_info=true', { ApiKey: key })
    const person: Person = JSON.parse(text)
    return person.contact_info?.birth_date
  }
  for (const name of ['complete', 'promoted', 'memorialized', 'stored', 'stale', 'nobody-special']) {
    expect(await birthDate(`sample-${name}`)).toMatchObject({ year: expect.any(Number), iso: expect.any(String) })
  }
  expect(await birthDate('sample-sparse')).toBeNull()
})

test('a revoked test key is refused by the very next call', async () => {
  const { id, key } = await service.makeKey({ mode: 'test' })
  expect((await service.person('ada', '', { ApiKey: key })).status).toBe(200)
  await service.admin('POST', `/keys/${id}/revoke`, {})
  expect((await service.person('ada', '', { ApiKey: key })).status).toBe(401)
})
