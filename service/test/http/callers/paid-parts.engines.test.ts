import { emptyContact } from '@vitae/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contractPerson } from '../../../fake-provider/contract-person.ts'
import { BatchCaller } from '../../batches/batch-caller.ts'
import { startTestService, type TestAnswer, type TestCaller, type TestService } from '../../harness/test-service.ts'

let service: TestService
let caller: TestCaller

beforeAll(async () => {
  service = await startTestService()
  caller = await service.newCaller(1_000)
  await service.admin('POST', '/prices', { lines: [{ credits: 1 }], parts: [{ part: 'contact', credits: 5 }] })
  // With several nodes a book starts a minute later.
  service.clock.advance({ minutes: 2 })
})
afterAll(() => service.close())

const headers = (more = {}) => ({ ApiKey: caller.key, 'content-type': 'application/json', ...more })
const lookup = (query: string, more = {}) => service.get(`/v1/people/profile?${query}`, headers(more))
const preflight = async (query: string) => (await service.get(`/v1/people/profile/preflight?${query}`, headers())).json
const post = (path: string, body: object, more = {}) => service.get(path, headers(more), 'POST', JSON.stringify(body))
const charged = (answer: TestAnswer) => Number(answer.headers.get('x-credits-charged'))

test('a part that fields excludes from the body is not paid for, by a lookup, a match, a batch and its preview', async () => {
  const part = 'include_contact_info=true'
  const without = await lookup(`profile_id=paid-ada&${part}&fields=headline`)
  const withPart = await lookup(`profile_id=paid-ada&${part}&fields=contact_info`)
  const match = (fields: string) =>
    post('/v1/people/match', { profile_id: 'paid-ada', include_contact_info: true, fields })
  const expected = await preflight(`profile_id=paid-ada&${part}&fields=headline`)
  const batch = { kind: 'people', ids: ['paid-ada'], include_contact_info: true }
  const previews = [
    await post('/v1/batches/preview', { ...batch, fields: ['headline'] }),
    await post('/v1/batches/preview', { ...batch, paths: ['headline'] }),
    await post('/v1/batches/preview', { ...batch, paths: ['contact_info.email_address'] }),
  ]
  const before = await caller.balance()
  const batches = new BatchCaller(service.url, caller.key)
  await batches.until(await batches.submit({ ...batch, fields: ['headline'] }))

  expect(Object.keys(without.json)).toEqual(['member_urn', 'headline'])
  expect([without, withPart, await match('headline'), await match('contact_info')].map(charged)).toEqual([1, 6, 1, 6])
  expect(expected).toMatchObject({ price: 1, max_price: 1 })
  expect(previews.map(({ json }) => json['highest_credits'])).toEqual([1, 1, 6])
  expect(before - (await caller.balance())).toBe(1 + 7)
})

test('a retry that would show a part excluded by the first call is another call', async () => {
  const key = { 'Idempotency-Key': 'part-left-out' }
  const first = await lookup('profile_id=retried-ada&include_contact_info=true&fields=headline', key)
  const same = await lookup('profile_id=retried-ada', key)
  const other = await lookup('profile_id=retried-ada&include_contact_info=true', key)

  expect([first.status, same.status, other.status]).toEqual([200, 200, 422])
  expect([charged(first), charged(same), same.headers.get('idempotent-replayed')]).toEqual([1, 0, 'true'])
})

test('a preflight expects a part that is empty in the stored copy to stay empty, and shows the highest price', async () => {
  service.upstream.people.set('empty-contact', { ...contractPerson('empty-contact'), contact_info: emptyContact })
  const query = 'profile_id=empty-contact&include_contact_info=true'
  const unknown = await preflight(query)
  const paid = await lookup(query)
  const fresh = await preflight(`${query}&max_age_days=0`)
  const stored = await preflight(query)
  const paidFresh = await lookup(`${query}&max_age_days=0`)

  expect([charged(paid), charged(paidFresh)]).toEqual([1, 1])
  expect(unknown).toMatchObject({ source: 'live', price: 6, max_price: 6 })
  expect(fresh).toMatchObject({ source: 'live', price: 1, max_price: 6 })
  expect(stored).toMatchObject({ source: 'store', price: 1, max_price: 1 })
})

test('every call to a paid route has a receipt, whatever its outcome', async () => {
  const closed = (await service.makeKey({ project: caller.project, endpoints: ['people'] })).key
  const failing: [number, Promise<TestAnswer>][] = [
    [404, service.get('/v1/companies/resolve?domain=missing-site.example', headers())],
    [400, service.get('/v1/companies/resolve?domain=,', headers())],
    [400, service.get('/v1/companies/resolve', headers())],
    [403, service.get('/v1/companies/resolve?domain=acme.example', headers({ ApiKey: closed }))],
    [404, post('/v1/people/match', { profile_id: 'missing-match' })],
    [400, post('/v1/people/match', { email: 'no address' })],
    [400, post('/v1/people/match', { unknown_member: 1 })],
    [404, post('/v1/companies/match', { company_id: 'missing-company' })],
    [404, lookup('profile_id=missing-receipt')],
    [400, lookup('profil_id=x')],
  ]
  for (const [status, call] of failing) {
    const answer = await call
    const receipt = await service.get(`/v1/receipts/${answer.headers.get('x-request-id')}`, headers())
    expect([answer.status, receipt.status, receipt.json['status'], receipt.json['charged']]).toEqual([
      status,
      200,
      status,
      0,
    ])
  }
})
