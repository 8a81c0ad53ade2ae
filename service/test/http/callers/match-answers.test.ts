import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { contractCompany } from '../../../fake-provider/contract-company.ts'
import { contractPerson } from '../../../fake-provider/contract-person.ts'
import type { FakeProvider } from '../../../fake-provider/fake-provider.ts'
import type { FictionalPerson } from '../../../fake-provider/fiction.ts'
import { startFakeProvider } from '../../../fake-provider/start-fake-provider.ts'
import { ToldPerson } from '../../../fake-provider/wire/wire.ts'
import { startTestService, type TestCaller, type TestService } from '../../harness/test-service.ts'

let pdl: FakeProvider
let service: TestService
let caller: TestCaller

beforeAll(async () => {
  pdl = await startFakeProvider({ provider: 'peopledatalabs', generate: false })
  const provider = { VITAE_PEOPLEDATALABS_URL: pdl.url, VITAE_PEOPLEDATALABS_KEY: pdl.key }
  const env = { VITAE_UPSTREAM: 'mirror,peopledatalabs', VITAE_NOT_FOUND_RATE: '100000/1h', ...provider }
  service = await startTestService({ generate: false, env })
})
afterAll(() => Promise.all([service.close(), pdl.close()]))
beforeEach(async () => {
  caller = await service.newCaller(20)
})

const post = (path: string, body: object, { key, ...headers }: { key?: string; 'Idempotency-Key'?: string } = {}) =>
  service.get(
    path,
    { ApiKey: key ?? caller.key, 'content-type': 'application/json', ...headers },
    'POST',
    JSON.stringify(body),
  )
async function said(answer: ReturnType<typeof post>): Promise<string> {
  const { status, json, headers } = await answer
  if (status !== 200) return `${status} ${String(json['code'])}`
  const [sure, on, from] = ['x-match-likelihood', 'x-matched-on', 'x-data-source'].map((name) => headers.get(name))
  return `${String(json['public_identifier'])} ${sure} ${on} ${from}`
}
const person = (body: object, key?: string) => said(post('/v1/people/match', body, key === undefined ? {} : { key }))
const company = (body: object) => said(post('/v1/companies/match', body))
const preflight = async (body: object, key?: string) =>
  (await post('/v1/people/match/preflight', body, key === undefined ? {} : { key })).json

async function stored(slug: string, facts: Partial<FictionalPerson>): Promise<void> {
  service.upstream.people.set(slug, contractPerson(slug, { jobs: [], headline: '', ...facts }))
  expect((await service.person(slug)).status).toBe(200)
}
async function storedCompany(slug: string, site: string, name: string): Promise<void> {
  service.upstream.companies.set(slug, { ...contractCompany(slug), company_url: site, company_name: name })
  expect((await service.company(slug)).status).toBe(200)
}

const nothing = { source: null, age_seconds: null, price: 0, max_price: 0, asks_provider: false }

test('a stored company is matched by its own site, for the price of a lookup', async () => {
  await storedCompany('ropeworks', 'https://www.ropeworks.com/about', 'Harbour Ropeworks')
  expect(await company({ domain: 'ropeworks.com' })).toBe('ropeworks 0.90 domain store')
  expect(await company({ domain: 'https://shop.ropeworks.com', name: 'Ropeworks' })).toBe('ropeworks 0.90 domain store')
  expect(await company({ company_id: 'ropeworks' })).toBe('ropeworks 1.00 company_id store')
  expect(await caller.balance()).toBe(17)
})

test('two companies at one site are ambiguous until the question identifies one', async () => {
  await storedCompany('tidepool', 'https://tidepool.com', 'Tidepool')
  await storedCompany('lanternhouse', 'https://labs.tidepool.com', 'Lanternhouse')
  expect(await company({ domain: 'tidepool.com' })).toBe('404 ambiguous_match')
  expect(await company({ domain: 'tidepool.com', name: 'Lanternhouse' })).toBe('lanternhouse 0.90 domain store')
  expect(await caller.balance()).toBe(19)
})

test('of two matching people the clearly more likely one is served; a slightly more likely one is not', async () => {
  const asked = { email: 'nora-unlikely@kettlewell.example', min_likelihood: 0.5 }
  pdl.people.set('nora-unlikely', new ToldPerson('nora-unlikely', { jobs: [] }))
  expect(await person(asked)).toBe('nora-unlikely 0.50 email live')
  expect(await person(asked)).toBe('nora-unlikely 0.50 email store')
  await stored('nora-own', { email: asked.email })
  expect(await person(asked)).toBe('nora-own 0.95 email store')
  await stored('nora-phone', { phones: ['+49 30 90182031'] })
  expect(await person({ ...asked, phone: '+49 30 90182031' })).toBe('404 ambiguous_match')
})

test('a retry of a match is answered even if somebody else matches as well by then', async () => {
  const email = 'twins@rowan.example'
  await stored('rowan-one', { firstName: 'Ida', lastName: 'Rowan', email })
  const first = await post('/v1/people/match', { email }, { 'Idempotency-Key': 'twins-1' })
  await stored('rowan-two', { firstName: 'Eda', lastName: 'Rowan', email })
  const retry = await post('/v1/people/match', { email }, { 'Idempotency-Key': 'twins-1' })

  expect([first.status, retry.status]).toEqual([200, 200])
  expect(retry.headers.get('idempotent-replayed')).toBe('true')
  expect(retry.json).toEqual(first.json)
  expect(retry.headers.get('x-match-likelihood')).toBe('0.95')
  expect(await person({ email })).toBe('404 ambiguous_match')
  expect(await caller.balance()).toBe(19)
})

test('a preflight predicts the outcome and the cost of a match', async () => {
  const email = 'shared@alder.example'
  await stored('alder-one', { firstName: 'Ann', lastName: 'Alder', email, phones: ['+49 30 90182041'] })
  await stored('alder-two', { firstName: 'Bob', lastName: 'Alder', email })
  expect(await preflight({ email })).toEqual({ ...nothing, refused: 'ambiguous_match' })
  expect(await preflight({ phone: '+49 30 90182041' })).toMatchObject({
    source: 'store',
    price: 1,
    refused: null,
    asks_provider: false,
  })
  expect(await preflight({ email: 'nobody@alder.example' })).toMatchObject({
    source: 'live',
    refused: null,
    asks_provider: true,
  })
  expect(await person({ email: 'nobody@alder.example' })).toBe('404 no_match')
  expect(await preflight({ email: 'nobody@alder.example' })).toEqual({ ...nothing, refused: 'no_match' })
  expect(await caller.balance()).toBe(20)
})

test('with a test key a preflight uses the sample of the match', async () => {
  const { key } = await service.newCaller(0, { mode: 'test' })
  const codes = ['no_match', 'ambiguous_match', 'identity_mismatch']
  const asked = ['not-found', 'ambiguous', 'mismatch'].map((name) =>
    preflight({ email: `sample-${name}@example.com` }, key),
  )
  expect(await Promise.all(asked)).toEqual(codes.map((refused) => ({ ...nothing, refused })))
  expect(await preflight({ email: 'anyone@acme.example' }, key)).toEqual({
    source: 'live',
    age_seconds: 0,
    price: 0,
    max_price: 0,
    refused: null,
    asks_provider: true,
  })
})

test('a failed match reveals nothing else', async () => {
  const { json } = await post('/v1/people/match', { email: 'nobody@nowhere.example' })
  expect(json).toMatchObject({ code: 'no_match', detail: 'Nobody matches with enough certainty.' })
})
