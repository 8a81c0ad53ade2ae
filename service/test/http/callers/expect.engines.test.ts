import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { contractCompany } from '../../../fake-provider/contract-company.ts'
import { contractPerson } from '../../../fake-provider/contract-person.ts'
import type { FakeProvider } from '../../../fake-provider/fake-provider.ts'
import { startFakeProvider } from '../../../fake-provider/start-fake-provider.ts'
import { openTestService, startTestService, type TestCaller, type TestService } from '../../harness/test-service.ts'

let second: FakeProvider
let service: TestService
let caller: TestCaller

beforeAll(async () => {
  second = await startFakeProvider({ provider: 'harvestapi' })
  const env = {
    VITAE_UPSTREAM: 'mirror,harvestapi',
    VITAE_HARVESTAPI_URL: second.url,
    VITAE_HARVESTAPI_KEY: second.key,
  }
  service = await startTestService({ env })
})
afterAll(() => Promise.all([service.close(), second.close()]))
beforeEach(async () => {
  caller = await service.newCaller(10)
  for (const provider of [service.upstream, second]) provider.requests.length = 0
})

const ask = (who: string, query: string, headers: Record<string, string> = {}) =>
  service.person(who, query, { ApiKey: caller.key, ...headers })
const asked = () => [service.upstream, second].map(({ requests }) => requests.length)
/** Sets the first provider's record of a name. */
const says = (who: string, fields: Record<string, unknown>) =>
  service.upstream.people.set(who, { ...contractPerson(who), ...fields })

test('a record of a stranger is not an answer: the next provider is asked, and if all contradict, the call is a free 404', async () => {
  const { last_name: right } = contractPerson('expected-by-second')
  says('expected-by-second', { first_name: 'Ottilie', last_name: 'Brackenridge' })
  const found = await ask('expected-by-second', `&expect.last_name=${encodeURIComponent(String(right))}`)
  const seen = asked()
  const wrong = await ask('expected-by-second', '&expect.last_name=Zwetschgenbaum')

  expect([found.status, seen]).toEqual([200, [1, 1]])
  expect(found.json['last_name']).toBe(right)
  expect(wrong.status).toBe(404)
  expect(wrong.json).toMatchObject({
    code: 'identity_mismatch',
    errors: [{ parameter: 'expect.last_name', detail: 'is contradicted' }],
  })
  expect(wrong.text).not.toContain('Zwetschgenbaum')
  expect(await caller.balance()).toBe(9)
})

test('a contradicting stored record is not served, and repeating the call fetches nothing', async () => {
  says('stored-stranger', { first_name: 'Ottilie', last_name: 'Brackenridge' })
  second.people.set('stored-stranger', null)
  await ask('stored-stranger', '')
  const mismatch = await ask('stored-stranger', '&expect.first_name=Deniz')
  const seen = asked()
  const again = await ask('stored-stranger', '&expect.first_name=Deniz')
  const preflight = await service.get(
    '/v1/people/profile/preflight?profile_id=stored-stranger&expect.first_name=Deniz',
    {
      ApiKey: caller.key,
    },
  )

  expect([mismatch, again].map(({ json }) => json['code'])).toEqual(['identity_mismatch', 'identity_mismatch'])
  expect(asked()).toEqual(seen)
  expect(preflight.json).toMatchObject({ refused: 'identity_mismatch', price: 0 })
  expect(await caller.balance()).toBe(9)
})

test('only the first contradicted parameter is named, and each mismatch uses the allowance, stored or not', async () => {
  says('probed', { first_name: 'Ottilie', last_name: 'Brackenridge', location: { country_code: 'PT' } })
  second.people.set('probed', null)
  const all = '&expect.country_code=DE&expect.last_name=Quill&expect.first_name=Deniz'
  const wrong = await ask('probed', all)
  const env = { VITAE_NOT_FOUND_RATE: '3/1h' }
  const strict = await openTestService({ env })
  strict.upstream.people.set('probed', {
    ...contractPerson('probed'),
    first_name: 'Ottilie',
    last_name: 'Brackenridge',
  })
  const probe = () => strict.person('probed', '&expect.last_name=Quill')
  await strict.person('probed')
  const codes = [await probe(), await probe(), await probe(), await probe()].map(({ status }) => status)

  expect(wrong.json['errors']).toEqual([{ parameter: 'expect.first_name', detail: 'is contradicted' }])
  expect(wrong.text).not.toMatch(/last_name|country_code/)
  expect(codes).toEqual([404, 404, 404, 429])
})

test('an unknown expectation is a free 400 that names it, on lookups and preflights', async () => {
  const wrong = [
    'expect.lastname=Quill',
    'expect[last_name]=Quill',
    'expect.last_names=Quill',
    'Expect.last_name=Quill',
  ]
  for (const query of wrong) {
    const found = await ask('unknown-expectation', `&${query}`)
    const preflight = await service.get(`/v1/people/profile/preflight?profile_id=unknown-expectation&${query}`, {
      ApiKey: caller.key,
    })
    expect([found.status, preflight.status]).toEqual([400, 400])
    expect(found.json['errors']).toMatchObject([{ parameter: query.split('=')[0] }])
  }
  const company = await service.get('/v1/companies/details?company_id=any&expect.last_name=Quill', {
    ApiKey: caller.key,
  })
  expect(company.json['errors']).toMatchObject([{ parameter: 'expect.last_name' }])
  expect(asked()).toEqual([0, 0])
  expect(await caller.balance()).toBe(10)
})

test('the domain of an employer is compared with the site of its stored record', async () => {
  const employed = contractPerson('employed')
  const [job] = employed.experience
  says('employed', { experience: [{ ...job, company_id: '900100', company_name: 'Harrow Mills', date_range: null }] })
  second.people.set('employed', null)
  const unknown = await ask('employed', '&expect.company_domain=quill.example')
  await service.get('/v1/companies/details?company_id=900100', { ApiKey: caller.key })
  const right = await ask('employed', '&expect.company_domain=company-900100.example')
  const wrong = await ask('employed', '&expect.company_domain=quill.example')

  expect([unknown.status, right.status, wrong.json['code']]).toEqual([200, 200, 'identity_mismatch'])
})

test('General Electric is not General Motors, for a lookup and for a match', async () => {
  const electric = { ...contractCompany('general-electric'), company_name: 'General Electric' }
  service.upstream.companies.set('general-electric', electric)
  const headers = { ApiKey: caller.key, 'content-type': 'application/json' }
  const of = (name: string) =>
    service.get(`/v1/companies/details?company_id=general-electric&expect.company_name=${name}`, headers)
  const body = JSON.stringify({ company_id: 'general-electric', name: 'General Motors' })
  const matched = await service.get('/v1/companies/match', headers, 'POST', body)
  const found = [await of('General%20Electric%20Company'), await of('General%20Motors')]

  expect(found.map(({ status }) => status)).toEqual([200, 404])
  expect(matched.json['code']).toBe('identity_mismatch')
})

test('a match with a test key returns the requested person, and a named sample of somebody else is refused', async () => {
  const { key } = await service.makeKey({ mode: 'test' })
  const headers = { ApiKey: key, 'content-type': 'application/json' }
  const match = (body: object) => service.get('/v1/people/match', headers, 'POST', JSON.stringify(body))
  const found = await match({ email: 'ada.quill@tidewater.example', first_name: 'Ada', last_name: 'Quill' })
  const other = await match({ profile_id: 'ada-quill', first_name: 'Zwetschge', last_name: 'Brackenridge' })

  expect([found.status, found.json['first_name'], found.json['last_name']]).toEqual([200, 'Ada', 'Quill'])
  expect(other.json['code']).toBe('identity_mismatch')
})

test('the expectations are part of the request that an Idempotency-Key identifies', async () => {
  says('keyed', { first_name: 'Ottilie', last_name: 'Brackenridge' })
  const headers = { 'Idempotency-Key': 'expect-1' }
  const first = await ask('keyed', '&expect.last_name=Brackenridge', headers)
  const retry = await ask('keyed', '&expect.last_name=Brackenridge', headers)
  const other = await ask('keyed', '&expect.last_name=Brackenridge&expect.first_name=Ottilie', headers)

  expect([first.status, retry.headers.get('idempotent-replayed'), other.status]).toEqual([200, 'true', 422])
  expect(await caller.balance()).toBe(9)
})

test('companies are guarded by name, domain and country; a malformed expectation is a 400 that names it', async () => {
  const company = {
    ...contractCompany('guarded'),
    company_name: 'Tidewater Instruments GmbH',
    company_url: 'https://tidewater.example/',
  }
  service.upstream.companies.set('guarded', company)
  const of = (query: string) => service.get(`/v1/companies/details?company_id=guarded${query}`, { ApiKey: caller.key })
  const right = await of('&expect.company_name=Tidewater%20Ltd&expect.company_domain=www.tidewater.example')
  const malformed = await of('&expect.country_code=Germany&expect.company_domain=nonsense')

  expect(right.status).toBe(200)
  expect(malformed.status).toBe(400)
  expect(malformed.json['errors']).toMatchObject([
    { parameter: 'expect.company_domain' },
    { parameter: 'expect.country_code' },
  ])
})
