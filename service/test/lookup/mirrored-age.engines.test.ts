import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { contractPerson } from '../../fake-provider/contract-person.ts'
import { nameIn, ScriptedUpstream, type Script } from '../harness/scripted-provider.ts'
import { startTestService, type TestService } from '../harness/test-service.ts'
import { expectProblem, expectRecord } from './provenance.ts'

const upstream = new ScriptedUpstream()
let service: TestService

beforeAll(async () => {
  await upstream.start()
  service = await startTestService({ credits: 10_000, env: upstream.env })
})
afterAll(async () => {
  await service.close()
  await upstream.close()
})
beforeEach(() => void (upstream.asked.length = 0))

const day = 86_400

/** The other service answers with the given source and age. */
function answering(source: string, ageSeconds: number): Script {
  return (request, response: ServerResponse) => {
    const fetchedAt = new Date(service.clock.now() - ageSeconds * 1_000).toISOString().replace('Z', '+00:00')
    const headers = { 'content-type': 'application/json', 'x-data-source': source, 'x-fetched-at': fetchedAt }
    response.writeHead(200, headers).end(JSON.stringify(contractPerson(nameIn(request))))
  }
}

test('a stored copy of the other service keeps its source and age, and ages from there', async () => {
  upstream.script = answering('store', 3 * day)

  expectRecord(await service.person('ada-stored'), service.clock.now(), { source: 'store', ageSeconds: 3 * day })
  service.clock.advance({ days: 3 })
  expectRecord(await service.person('ada-stored'), service.clock.now(), { source: 'store', ageSeconds: 6 * day })
  expect(upstream.asked).toEqual(['ada-stored'])
  service.clock.advance({ days: 2 })
  upstream.script = answering('live', 0)
  expectRecord(await service.person('ada-stored'), service.clock.now(), { source: 'live', ageSeconds: 0 })
})

test('a stale copy of the other service is stale here, and does not count as fresh', async () => {
  upstream.script = answering('stale_fallback', 9 * day)

  const stale = { source: 'stale_fallback', ageSeconds: 9 * day } as const
  expectRecord(await service.person('bea-stale'), service.clock.now(), stale)
  expectRecord(await service.person('bea-stale'), service.clock.now(), stale)

  upstream.script = answering('live', 0)
  const fresh = await service.person('bea-stale', '&bypass_cache=true')
  expectRecord(fresh, service.clock.now(), { source: 'live', ageSeconds: 0 })
})

test('data older than requested is stale, whatever the other service calls it', async () => {
  upstream.script = answering('store', 8 * day)

  const answer = await service.person('cyd-old')
  expectRecord(answer, service.clock.now(), { source: 'stale_fallback', ageSeconds: 8 * day })
})

test.each(['store', 'stale_fallback'])(
  'a copy from %s never answers bypass_cache=true, and costs nothing',
  async (source) => {
    upstream.script = answering(source, 60)
    const before = await service.balance()

    expectProblem(await service.person(`dot-${source}`, '&bypass_cache=true'), 503, 'upstream_unavailable')
    expect(await service.balance()).toEqual(before)
  },
)

test('a caller who refuses stale copies gets and pays none from the other service either', async () => {
  upstream.script = answering('stale_fallback', 9 * day)
  const before = await service.balance()

  const refused = await service.person('eve-stale', '', { 'Cache-Control': 'stale-if-error=0' })
  expectProblem(refused, 503, 'upstream_unavailable')
  expect(await service.balance()).toEqual(before)
})

test.each(['&max_age_days=0', '&max_age_days=1'])(
  'with %s a stale copy of the other service is served',
  async (query) => {
    upstream.script = answering('stale_fallback', 9 * day)

    const answer = await service.person(`gil-stale${query.at(-1)}`, query)

    expectRecord(answer, service.clock.now(), { source: 'stale_fallback', ageSeconds: 9 * day })
  },
)

test.each([
  ['store', 'store'],
  [null, 'store'],
  ['live', 'live'],
] as const)('an age without a time counts, from %s', async (source, here) => {
  upstream.script = (request, response: ServerResponse) => {
    const headers = { 'content-type': 'application/json', 'x-data-age-seconds': String(2 * day) }
    response.writeHead(200, source ? { ...headers, 'x-data-source': source } : headers)
    response.end(JSON.stringify(contractPerson(nameIn(request))))
  }

  const answer = await service.person(`hal-${source}`)

  expectRecord(answer, service.clock.now(), { source: here, ageSeconds: here === 'live' ? 0 : 2 * day })
  const seenAt = Date.parse(answer.headers.get('x-source-updated-at') ?? '')
  expect(seenAt).toBe(service.clock.now() - 2 * day * 1_000)
})

test('telephone numbers sent as objects keep their text', async () => {
  const numbers = [
    '+1 202-555-0101',
    { number: '+1 202-555-0102', type: 'MOBILE' },
    { value: 12025550103 },
    { type: 'FAX' },
  ]
  upstream.script = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ member_urn: 'urn:li:member:9', contact_info: { phone_numbers: numbers } }))
  }

  const { json } = await service.person('ivy', '&include_contact_info=true')

  const known = ['+1 202-555-0101', '+1 202-555-0102', '12025550103']
  expect(json).toMatchObject({ contact_info: { phone_numbers: known } })
})

test('requested contact details and verifications are objects even if nothing is known', async () => {
  upstream.script = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ member_urn: 'urn:li:member:8', first_name: 'Fay', contact_info: null }))
  }

  const asked = await service.person(
    'fay',
    '&include_contact_info=true&include_network_info=true&get_verification_details=true',
  )
  const notAsked = await service.person('fay')

  expect(asked.json).toMatchObject({
    contact_info: { email_address: null, websites: [], twitter_handles: [], phone_numbers: [], birth_date: null },
    network_info: null,
    verifications: { is_verified: false, joined_date: null, sections: [] },
  })
  expect(notAsked.json).toMatchObject({ contact_info: null, verifications: null })
})
