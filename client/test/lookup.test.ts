import { expect, test } from 'vitest'
import fc from 'fast-check'
import { printDays } from '../src/calls/lookup-request.ts'
import { VitaeUnusableAnswerError } from '../src/index.ts'
import { company, person } from './people.ts'
import { failed, found, openScriptedServer } from './scripted-server.ts'
import { openClient, rejection, testKey } from './test-client.ts'

test('a person comes with its provenance, limits and credits', async () => {
  const server = await openScriptedServer(
    found(person(), {
      'X-Data-Source': 'stale_fallback',
      'X-Fetched-At': '2026-11-05T11:30:00.000+02:00',
      'X-Data-Age-Seconds': '777600',
      'X-Filled-From':
        'peopledatalabs;fields="contact_info.email_address,skills";age=86400, "my, \\"own\\"";age=0; fields="summary"',
      'X-Source-Updated-At': '2026-11-01T00:00:00.000+00:00',
      'X-Record-Thin': 'true',
    }),
  )

  const answer = await openClient(server.url).client.people.profile('mira-fictional')

  expect(answer).toEqual({
    record: person(),
    source: 'stale_fallback',
    fetchedAt: new Date('2026-11-05T09:30:00Z'),
    ageSeconds: 777_600,
    filledFrom: [
      { provider: 'peopledatalabs', fields: ['contact_info.email_address', 'skills'], ageSeconds: 86_400 },
      { provider: 'my, "own"', fields: ['summary'], ageSeconds: 0 },
    ],
    sourceUpdatedAt: new Date('2026-11-01T00:00:00Z'),
    thin: true,
    rateLimit: { limit: 300, remaining: 299, resetSeconds: 60 },
    credits: { charged: 1, remaining: 941, ceilingRemaining: 41 },
    ignoredParameters: [],
    requestId: 'req-1',
    replayed: false,
  })
})

test('absent headers are null or false, never invented', async () => {
  const { body, headers } = found(company())
  const spare = Object.entries(headers).filter(([name]) => !/^X-(Credits|RateLimit|Request)/.test(name))
  const server = await openScriptedServer({ status: 200, headers: Object.fromEntries(spare), body })

  const answer = await openClient(server.url).client.companies.details('unreal-bridges')

  expect(answer).toMatchObject({
    record: company(),
    filledFrom: [],
    sourceUpdatedAt: null,
    thin: false,
    rateLimit: { limit: null, remaining: null, resetSeconds: null },
    credits: { charged: null, remaining: null, ceilingRemaining: null },
    requestId: null,
    replayed: false,
  })
})

test('every option of a person lookup reaches the service with its name', async () => {
  const server = await openScriptedServer(found(person()))

  await openClient(server.url).client.people.profile('https://www.linkedin.com/in/mira fictional/?a=b', {
    maxAgeDays: 0.5,
    bypassCache: false,
    includeContactInfo: true,
    includeNetworkInfo: true,
    getVerificationDetails: true,
    onlyStored: true,
    refuseStale: true,
    idempotencyKey: 'order-7',
  })

  const [seen] = server.seen
  expect(seen?.path).toBe('/v1/people/profile')
  expect(Object.fromEntries(seen?.query ?? [])).toEqual({
    profile_id: 'https://www.linkedin.com/in/mira fictional/?a=b',
    max_age_days: '0.5',
    bypass_cache: 'false',
    include_contact_info: 'true',
    include_network_info: 'true',
    get_verification_details: 'true',
  })
  expect(seen?.headers).toMatchObject({
    apikey: testKey,
    'idempotency-key': 'order-7',
    'cache-control': 'only-if-cached, stale-if-error=0',
  })
})

test('a company lookup sends the given options and nothing else', async () => {
  const server = await openScriptedServer(found(company()))

  await openClient(server.url).client.companies.details('4711', { maxAgeDays: 0, refuseStale: true })

  const [seen] = server.seen
  expect(seen?.path).toBe('/v1/companies/details')
  expect(Object.fromEntries(seen?.query ?? [])).toEqual({ company_id: '4711', max_age_days: '0' })
  expect(seen?.headers['cache-control']).toBe('stale-if-error=0')
})

test('a service under a path of its host is reached there', async () => {
  const server = await openScriptedServer(found(company()))

  await openClient(`${server.url}/data/vitae//`).client.companies.details('4711')

  expect(server.seen[0]?.path).toBe('/data/vitae/v1/companies/details')
})

test('each call has its own Idempotency-Key', async () => {
  const server = await openScriptedServer(found(company()))
  const { client } = openClient(server.url)

  await client.companies.details('4711')
  await client.companies.details('4711')

  const keys = server.seen.map(({ headers }) => headers['idempotency-key'])
  expect(new Set(keys).size).toBe(2)
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
})

test('a replay is reported, with a price of 0', async () => {
  const server = await openScriptedServer(
    found(person(), { 'Idempotent-Replayed': 'true', 'X-Credits-Charged': '0', 'X-Data-Source': 'store' }),
  )

  const answer = await openClient(server.url).client.people.profile('mira-fictional', { idempotencyKey: 'order-7' })

  expect(answer).toMatchObject({ replayed: true, source: 'store', credits: { charged: 0 } })
})

test('a 200 without a record and its provenance is refused, and not retried', async () => {
  const good = found(person())
  const page = { ...good, body: '<html>Sign in</html>' }
  const list = { ...good, body: '[]' }
  const named = (name: string, value: string) => found(person(), { [name]: value })
  const replies = [
    page,
    list,
    named('X-Data-Source', 'guess'),
    named('X-Fetched-At', '3'),
    named('X-Data-Age-Seconds', '-1'),
  ]

  for (const reply of replies) {
    const server = await openScriptedServer(reply)
    const error = await rejection(openClient(server.url).client.people.profile('mira-fictional'))
    expect(error).toBeInstanceOf(VitaeUnusableAnswerError)
    expect(error).toMatchObject({ code: 'unusable_answer', status: 200, retryable: false })
    expect(server.seen).toHaveLength(1)
  }
})

test('a redirect is not followed, so the key is not sent elsewhere', async () => {
  const elsewhere = await openScriptedServer(found(person()))
  const server = await openScriptedServer({ status: 302, headers: { Location: `${elsewhere.url}/v1` }, body: '' })

  const error = await rejection(openClient(server.url).client.people.profile('mira-fictional'))

  expect(error).toBeInstanceOf(VitaeUnusableAnswerError)
  expect(elsewhere.seen).toEqual([])
})

test('an invalid identifier, age or Idempotency-Key is refused before sending', async () => {
  const server = await openScriptedServer(failed('invalid_request'))
  const { client } = openClient(server.url)

  await expect(client.people.profile(' ')).rejects.toThrow(TypeError)
  await expect(client.people.profile(undefined as unknown as string)).rejects.toThrow(TypeError)
  await expect(client.people.profile('m', { maxAgeDays: -1 })).rejects.toThrow(TypeError)
  await expect(client.people.profile('m', { maxAgeDays: Number.NaN })).rejects.toThrow(TypeError)
  await expect(client.people.profile('m', { idempotencyKey: 'a b' })).rejects.toThrow(TypeError)
  await expect(client.people.profile('m', { idempotencyKey: 'a'.repeat(256) })).rejects.toThrow(TypeError)
  await expect(client.people.profile('m', { timeoutMs: 0 })).rejects.toThrow(TypeError)
  expect(server.seen).toEqual([])
})

test('any age is sent as an equal plain decimal', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), (days) => {
      const text = printDays(days)
      expect(text).toMatch(/^\d+(\.\d+)?$/)
      expect(Math.abs(Number(text) - Math.min(days, 1_000_000))).toBeLessThan(1e-6)
    }),
  )
})

test("the client's spend tag is sent with every call, and a call's own tag replaces it", async () => {
  const server = await openScriptedServer(found(person()), found(person()), found(person()))
  const { client } = openClient(server.url, { spendTag: 'spring-campaign' })
  await client.people.profile('mira-fictional')
  await client.people.profile('mira-fictional', { spendTag: 'autumn.2' })
  await openClient(server.url).client.people.profile('mira-fictional')

  expect(server.seen.map(({ headers }) => headers['x-spend-tag'])).toEqual(['spring-campaign', 'autumn.2', undefined])
  expect(() => openClient(server.url, { spendTag: 'two words' })).toThrow('spendTag must be')
  await expect(client.people.profile('mira-fictional', { spendTag: '' })).rejects.toThrow('spendTag must be')
})
