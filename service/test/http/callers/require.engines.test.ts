import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { contractPerson } from '../../../fake-provider/contract-person.ts'
import type { FakeProvider } from '../../../fake-provider/fake-provider.ts'
import { startFakeProvider } from '../../../fake-provider/start-fake-provider.ts'
import { startTestService, type TestCaller, type TestService } from '../../harness/test-service.ts'

let second: FakeProvider
let third: FakeProvider
let service: TestService
let caller: TestCaller

beforeAll(async () => {
  ;[second, third] = await Promise.all([
    startFakeProvider({ provider: 'harvestapi' }),
    startFakeProvider({ provider: 'peopledatalabs' }),
  ])
  const env = {
    VITAE_UPSTREAM: 'mirror,harvestapi,peopledatalabs',
    VITAE_HARVESTAPI_URL: second.url,
    VITAE_HARVESTAPI_KEY: second.key,
    VITAE_PEOPLEDATALABS_URL: third.url,
    VITAE_PEOPLEDATALABS_KEY: third.key,
  }
  service = await startTestService({ env: { ...env, VITAE_NOT_FOUND_RATE: '4/1h' } })
})
afterAll(() => Promise.all([service.close(), second.close(), third.close()]))
beforeEach(async () => {
  caller = await service.newCaller(10)
  for (const provider of [service.upstream, second, third]) {
    provider.requests.length = 0
    await provider.setFault(null)
  }
})

const ask = (who: string, query: string, headers: Record<string, string> = {}) =>
  service.person(who, query, { ApiKey: caller.key, ...headers })
const asked = () => [service.upstream, second, third].map(({ requests }) => requests.length)
const preflight = (who: string, query: string) =>
  service.get(`/v1/people/profile/preflight?profile_id=${who}${query}`, { ApiKey: caller.key })
/** Makes the first provider know a person without these fields. */
function lacks(who: string, fields: Record<string, unknown>): void {
  service.upstream.people.set(who, { ...contractPerson(who), ...fields })
}

test('providers are asked in turn until one has the fields, and no further; the next plain call is served from the store', async () => {
  lacks('no-headline', { headline: null })
  const before = await preflight('no-headline', '&require=headline')
  const found = await ask('no-headline', '&require=headline')
  const seen = asked()
  const plain = await ask('no-headline', '')
  const again = await ask('no-headline', '&require=headline')

  expect(before.json).toMatchObject({ source: 'live', refused: null, asks_provider: true })
  expect(found.json['headline']).toEqual(expect.any(String))
  expect(found.headers.get('x-data-source')).toBe('live')
  expect(seen).toEqual([1, 1, 0])
  expect([plain, again].map(({ headers }) => headers.get('x-data-source'))).toEqual(['store', 'store'])
  expect(asked()).toEqual(seen)
})

test('the receipt names the provider of the served record, not one of a refused record', async () => {
  lacks('receipt-headline', { headline: null })
  lacks('receipt-name', { last_name: 'Stranger' })
  const receiptOf = async (query: string, who: string) => {
    const { status, headers } = await ask(who, query)
    const { json } = await service.get(`/v1/receipts/${headers.get('x-request-id')}`, { ApiKey: caller.key })
    return { status, providers: json['providers'], reason: json['reason'] }
  }
  const lastName = encodeURIComponent(String(contractPerson('receipt-name').last_name))
  const served = { status: 200, reason: expect.stringMatching(/^Fetched from harvestapi/) }
  const providers = [
    { name: 'mirror', outcome: 'unfit' },
    { name: 'harvestapi', outcome: 'found' },
  ]

  expect(await receiptOf('&require=headline', 'receipt-headline')).toEqual({ ...served, providers })
  const expected = await receiptOf(`&expect.last_name=${lastName}`, 'receipt-name')
  expect(expected.providers).toEqual(expect.arrayContaining([{ name: 'mirror', outcome: 'unfit' }]))
  expect(expected.reason).not.toMatch(/^Fetched from mirror/)
})

test('if no provider has them the call is a 404 that names them and costs nothing, and repeating it fetches nothing', async () => {
  lacks('no-address', {})
  await third.setFault(404)
  const query = '&include_contact_info=true&require=contact_info.address,headline'
  const failed = await ask('no-address', query)
  const seen = asked()
  const repeated = await ask('no-address', query)
  const expected = await preflight('no-address', query)
  const other = await ask('no-address', '')

  expect(failed.json).toMatchObject({
    status: 404,
    code: 'required_fields_missing',
    errors: [{ parameter: 'require', detail: 'contact_info.address' }],
  })
  expect(seen).toEqual([1, 1, 1])
  expect(repeated.json).toMatchObject({ code: 'required_fields_missing' })
  expect(expected.json).toMatchObject({ refused: 'required_fields_missing', price: 0, asks_provider: false })
  expect(other.headers.get('x-data-source')).toBe('store')
  expect(asked()).toEqual(seen)
  expect(await caller.balance()).toBe(9)
})

test('a provider that accepts required fields gets them', async () => {
  lacks('told', { summary: null })
  second.people.set('told', null)
  const url = () => new URL(third.requests[0]?.path ?? '', third.url)
  await ask('told', '&require=summary,headline')

  expect(url().searchParams.get('required')).toBe('headline AND summary')
  expect(url().searchParams.get('min_likelihood')).toBe('6')
})

test("a provider's missing fields are forgotten in time, and a fresh fetch ignores them", async () => {
  lacks('asked-again', { skills: [] })
  for (const provider of [second, third]) await provider.setFault(404)
  await ask('asked-again', '&require=skills')
  await ask('asked-again', '&require=skills&max_age_days=0')
  const seen = asked()
  service.clock.advance({ minutes: 61 })
  await ask('asked-again', '&require=skills')

  expect(seen[0]).toBe(2)
  expect(asked()[0]).toBe(3)
})

test('an outage of a provider does not prove that it lacks the fields', async () => {
  lacks('outage', { skills: [] })
  for (const provider of [second, third]) await provider.setFault(401)
  const out = await ask('outage', '&require=skills')

  expect(out.json).toMatchObject({ status: 503, code: 'upstream_unavailable' })
  expect(await caller.balance()).toBe(10)
})

test('the paths are part of what makes two calls the same, in any order', async () => {
  const headers = { 'Idempotency-Key': 'required-once' }
  const first = await ask('ada', '&require=headline,first_name', headers)
  const retry = await ask('ada', '&require=first_name,headline', headers)
  const other = await ask('ada', '&require=headline', headers)

  expect(first.status).toBe(200)
  expect(retry.headers.get('idempotent-replayed')).toBe('true')
  expect(other.json).toMatchObject({ code: 'idempotency_key_reused' })
})

test('an unknown path is refused with the nearest one, and a path in an optional part needs its parameter', async () => {
  const wrong = await ask('ada', '&require=experience.compny_id')
  const part = await ask('ada', '&require=contact_info.email_address')

  expect(wrong.json['errors']).toEqual([
    {
      parameter: 'require',
      detail: 'has the path experience.compny_id, which no record has: did you mean experience.company_id?',
    },
  ])
  expect(part.json['errors']).toEqual([
    { parameter: 'require', detail: 'contact_info.email_address needs include_contact_info=true' },
  ])
})

test('a test key can try it on samples', async () => {
  const ApiKey = (await service.makeKey({ mode: 'test' })).key
  const [met, unmet] = await Promise.all(
    ['sample-complete', 'sample-sparse'].map((who) => ask(who, '&require=headline', { ApiKey })),
  )

  expect(met?.status).toBe(200)
  expect(unmet?.json).toMatchObject({ code: 'required_fields_missing' })
})

test('an unmet call counts in the allowance of misses, and a remembered one does not', async () => {
  for (const provider of [second, third]) await provider.setFault(404)
  const statuses: number[] = []
  for (const who of ['unmet-1', 'unmet-2', 'unmet-3', 'unmet-3', 'unmet-3', 'unmet-4', 'unmet-5']) {
    lacks(who, { skills: [] })
    statuses.push((await ask(who, '&require=skills')).status)
  }

  expect(statuses).toEqual([404, 404, 404, 404, 404, 404, 429])
})
