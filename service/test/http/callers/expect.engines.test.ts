import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { contractCompany } from '../../../fake-provider/contract-company.ts'
import { contractPerson } from '../../../fake-provider/contract-person.ts'
import type { FakeProvider } from '../../../fake-provider/fake-provider.ts'
import { startFakeProvider } from '../../../fake-provider/start-fake-provider.ts'
import { startTestService, type TestCaller, type TestService } from '../../harness/test-service.ts'

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
/** What the first provider says under a name. */
const says = (who: string, fields: Record<string, unknown>) =>
  service.upstream.people.set(who, { ...contractPerson(who), ...fields })

test('a record of a stranger is no answer: the next provider is asked, and where all contradict the call is a free 404', async () => {
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

test('a stored record that contradicts is not served, and repeating the call asks nobody again', async () => {
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

test('what is expected is part of what an Idempotency-Key stands for', async () => {
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
