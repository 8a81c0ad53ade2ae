import { Company, Person } from '@vitae/contract'
import { Check } from 'typebox/value'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FakeProvider } from '../../fake-provider/fake-provider.ts'
import { startFakeProvider } from '../../fake-provider/start-fake-provider.ts'

let fake: FakeProvider
beforeEach(async () => {
  fake = await startFakeProvider({ provider: 'mirror', hugeBytes: 300_000 })
})
afterEach(() => fake.close())

function get(path: string, key = 'secret'): Promise<Response> {
  return fetch(fake.url + path, { headers: { ApiKey: key }, signal: AbortSignal.timeout(5000) })
}
const profile = '/v1/people/profile?profile_id=calla-ashgrove'

describe('a mirror', () => {
  test("answers in the contract's shape, the same for one slug every time", async () => {
    const all = '&include_network_info=true&include_contact_info=true&get_verification_details=true'
    const person = await (await get(profile + all)).json()
    const company = await (await get('/v1/companies/details?company_id=4711')).json()

    expect(Check(Person, person)).toBe(true)
    expect(Check(Company, company)).toBe(true)
    expect(company).toMatchObject({ company_id: '4711' })
    expect(await (await get(profile + all)).json()).toEqual(person)
    expect(person).toMatchObject({ contact_info: { twitter_handles: [] }, verifications: { is_verified: true } })
  })

  test('leaves out parts that were not requested', async () => {
    const person = await (await get(profile)).json()

    expect(person).toMatchObject({ network_info: null, contact_info: null, verifications: null })
  })

  test("serves a test's records, even by URL", async () => {
    fake.people.set('calla-ashgrove', { member_urn: 'urn:li:member:1' })
    fake.companies.set('gone', null)

    const byUrl = await get(
      `/v1/people/profile?profile_id=${encodeURIComponent('https://www.linkedin.com/in/calla-ashgrove/')}`,
    )

    expect(await byUrl.json()).toMatchObject({ member_urn: 'urn:li:member:1' })
    expect((await get('/v1/companies/details?company_id=gone')).status).toBe(404)
  })

  test('refuses a wrong key as in the contract, and remembers the requests', async () => {
    const refused = await get(profile, 'wrong')

    expect([refused.status, await refused.text()]).toEqual([401, 'invalid_api_key'])
    expect(fake.requests).toMatchObject([{ method: 'GET', path: profile, headers: { apikey: 'wrong' } }])
  })
})

describe('faults on demand', () => {
  test.each([500, 429, 401, 402, 403, 404] as const)('status %i', async (status) => {
    await fake.setFault(status)

    expect((await get(profile)).status).toBe(status)
  })

  test.each(['refused', 'reset', 'truncated'] as const)('%s', async (fault) => {
    await fake.setFault(fault)

    await expect(get(profile).then((response) => response.text())).rejects.toThrow(/fetch failed|terminated/)
    await fake.setFault(null)
    expect((await get(profile)).status).toBe(200)
  })

  test('empty, garbage and malformed bodies are a 200 that is not JSON', async () => {
    for (const fault of ['empty', 'garbage', 'malformed'] as const) {
      await fake.setFault(fault)
      const response = await get(profile)

      expect(response.status).toBe(200)
      await expect(response.json()).rejects.toThrow(/JSON/)
    }
  })

  test('huge has the requested size', async () => {
    await fake.setFault('huge')

    expect((await (await get(profile)).arrayBuffer()).byteLength).toBeGreaterThan(300_000)
  })

  test('hang lasts until the caller leaves, and does not prevent closing the fake', async () => {
    await fake.setFault('hang')
    const leave = new AbortController()
    const asked = fetch(fake.url + profile, { signal: leave.signal })

    leave.abort(new Error('left'))

    await expect(asked).rejects.toThrow('left')
  })

  test('are controlled over HTTP, for a number of answers', async () => {
    const steered = await fetch(`${fake.url}/_fault`, { method: 'POST', body: '{"fault":500,"times":1}' })
    expect(await steered.json()).toEqual({ fault: 500 })
    await expect.poll(() => fake.fault).toBe(500)

    expect([(await get(profile)).status, (await get(profile)).status]).toEqual([500, 200])
  })
})
