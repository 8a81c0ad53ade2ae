import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { FakeProvider } from '../../../fake-provider/fake-provider.ts'
import { startFakeProvider } from '../../../fake-provider/start-fake-provider.ts'
import { siteDomain } from '../../../src/records/identifiers/site-domain.ts'
import { startTestService, type TestCaller, type TestService } from '../../harness/test-service.ts'

let labs: FakeProvider
let service: TestService
let caller: TestCaller

beforeAll(async () => {
  labs = await startFakeProvider({ provider: 'peopledatalabs' })
  const env = {
    VITAE_UPSTREAM: 'mirror,peopledatalabs',
    VITAE_PEOPLEDATALABS_URL: labs.url,
    VITAE_PEOPLEDATALABS_KEY: labs.key,
    VITAE_PRICE_COMPANIES: '3',
  }
  service = await startTestService({ env, fixed: { priceLines: [{ kind: 'companies', thin: true, credits: 1 }] } })
})
afterAll(() => Promise.all([service.close(), labs.close()]))
beforeEach(async () => {
  caller = await service.newCaller(10)
  labs.requests.length = 0
})

const resolve = (domain: string, headers: Record<string, string> = {}) =>
  service.get(`/v1/companies/resolve?domain=${encodeURIComponent(domain)}`, { ApiKey: caller.key, ...headers })

describe('GET /v1/companies/resolve', () => {
  test('finds a stored company by its own site, for any form of the URL, at no cost', async () => {
    const { json: company } = await service.company('acme-tools', '', { ApiKey: caller.key })
    const balance = await caller.balance()
    const byUrl = await resolve('https://WWW.acme-tools.example:443/about?x=1#team')
    const bySub = await resolve('careers.acme-tools.example')

    expect(byUrl.json).toEqual({
      domain: 'acme-tools.example',
      source: 'store',
      candidates: [
        {
          company_id: company['company_id'],
          public_identifier: 'acme-tools',
          name: company['company_name'],
          matched: 'host',
        },
      ],
    })
    expect(bySub.json).toMatchObject({ candidates: [{ public_identifier: 'acme-tools', matched: 'domain' }] })
    expect(byUrl.headers.get('x-credits-charged')).toBe('0')
    expect(await caller.balance()).toBe(balance)
    expect(labs.requests).toEqual([])
  })

  test('otherwise asks a provider by the domain, for the price of a company, and stores the result', async () => {
    const found = await resolve('tidewater.example')
    const again = await resolve('tidewater.example')
    const details = await service.company('tidewater', '', { ApiKey: caller.key })

    expect(found.json).toMatchObject({
      source: 'live',
      candidates: [{ public_identifier: 'tidewater', matched: 'provider' }],
    })
    expect(found.headers.get('x-credits-charged')).toBe('3')
    expect(labs.requests.map(({ path }) => new URL(path, labs.url).searchParams.get('website'))).toEqual([
      'tidewater.example',
    ])
    expect(again.headers.get('x-credits-charged')).toBe('0')
    expect(details.headers.get('x-data-source')).toBe('store')
  })

  test('answers an unknown domain with a free, remembered 404; a retry under one key is paid once', async () => {
    const unknown = await resolve('missing-company.example')
    const repeated = await resolve('missing-company.example')
    const first = await resolve('paid-once.example', { 'Idempotency-Key': 'resolve-1' })
    const retry = await resolve('paid-once.example', { 'Idempotency-Key': 'resolve-1' })
    const other = await resolve('other.example', { 'Idempotency-Key': 'resolve-1' })

    expect([unknown.status, repeated.status]).toEqual([404, 404])
    expect(labs.requests.filter(({ path }) => path.includes('missing-company'))).toHaveLength(1)
    expect(first.headers.get('x-credits-charged')).toBe('3')
    expect([retry.headers.get('x-credits-charged'), retry.headers.get('idempotent-replayed')]).toEqual(['0', 'true'])
    expect(other.json).toMatchObject({ code: 'idempotency_key_reused' })
    expect(await caller.balance()).toBe(7)
  })

  test('answers an erased company like an unknown one', async () => {
    await service.company('to-be-erased', '', { ApiKey: caller.key })
    await service.admin('POST', '/records/companies/to-be-erased/erase', { reason: 'asked for it' })
    labs.companies.set('never-heard-of', null)
    const [erased, unknown] = [await resolve('to-be-erased.example'), await resolve('never-heard-of.example')]

    const { request_id: _erased, ...one } = erased.json
    const { request_id: _unknown, ...other } = unknown.json
    expect(one).toEqual(other)
    expect(erased.status).toBe(404)
  })

  test('answers an invalid domain with 400, an empty account with 402, and checks permissions first', async () => {
    const wrong = ['', 'localhost', 'co.uk', '127.0.0.1', '[::1]', 'ftp://a.example', 'a b.example', 'vt_live_x']
    for (const domain of wrong) expect([domain, (await resolve(domain)).status]).toEqual([domain, 400])
    const poor = await service.newCaller(0)
    const closed = await service.newCaller(9, { endpoints: ['people'] })

    expect((await resolve('never-stored.example', { ApiKey: poor.key })).text).toBe('out_of_credits')
    expect((await resolve('localhost', { ApiKey: closed.key })).text).toBe('endpoint_not_allowed')
  })

  test('answers a test key from the samples, and plays their situations', async () => {
    const ApiKey = (await service.makeKey({ mode: 'test' })).key
    const some = await resolve('anything.example', { ApiKey })
    const none = await resolve('sample-not-found.example', { ApiKey })

    expect(some.json).toMatchObject({ domain: 'anything.example', candidates: [{ matched: 'provider' }] })
    expect(some.headers.get('x-credits-charged')).toBeNull()
    expect(none.json).toMatchObject({ status: 404, code: 'not_found' })
  })
})

test.each([
  ['enrichlayer', '/api/v2/company/resolve?company_domain=by-domain.example'],
  ['coresignal', '/cdapi/v2/company_multi_source/enrich?website=by-domain.example'],
] as const)('%s is asked by its own call', async (provider, path) => {
  const fake = await startFakeProvider({ provider })
  const name = provider.toUpperCase()
  const env = { VITAE_UPSTREAM: provider, [`VITAE_${name}_URL`]: fake.url, [`VITAE_${name}_KEY`]: fake.key }
  const own = await startTestService({ env })
  try {
    const { json } = await own.get('/v1/companies/resolve?domain=by-domain.example', { ApiKey: own.liveKey })
    expect(json).toMatchObject({ source: 'live', candidates: [{ public_identifier: 'by-domain' }] })
    expect(fake.requests[0]?.path).toBe(path)
  } finally {
    await Promise.all([own.close(), fake.close()])
  }
})

test('distinguishes public suffixes, hosting names and international names', () => {
  expect(siteDomain('shop.example.co.uk')).toEqual({ host: 'shop.example.co.uk', domain: 'example.co.uk' })
  expect(siteDomain('https://team.github.io/x')?.domain).toBe('team.github.io')
  expect(siteDomain('www.bücher.example')).toEqual({ host: 'xn--bcher-kva.example', domain: 'xn--bcher-kva.example' })
  expect(siteDomain('example.com:8080')?.domain).toBe('example.com')
  expect(siteDomain('https://user:secret@example.com')).toEqual({ host: 'example.com', domain: 'example.com' })
  expect(siteDomain('somebody@example.com')).toBeNull()
})
