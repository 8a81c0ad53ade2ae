import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Kind } from '@vitae/contract'
import { contractCompany } from '../../fake-provider/contract-company.ts'
import { contractPerson } from '../../fake-provider/contract-person.ts'
import { startTestService, type TestService } from '../harness/test-service.ts'
import { expectProblem, expectRecord } from './provenance.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())
beforeEach(async () => {
  await service.upstream.setFault(null)
  service.upstream.requests.length = 0
})

const live = { source: 'live', ageSeconds: 0 } as const
const store = { source: 'store', ageSeconds: 0 } as const

function historyOf(kind: Kind, value: string, type: 'slug' | 'id' | 'opaque' = 'slug') {
  return service.service.store.entities.history({ kind, ref: { identifier: { kind, type, value } } })
}

/** A person with a given member number and slug. */
function person(member: number, slug: string, fields: object = {}) {
  return {
    ...contractPerson(slug),
    member_urn: `urn:li:member:${member}`,
    entity_urn: `urn:li:fsd_profile:ACoAA${member}fiction`,
    public_identifier: slug,
    ...fields,
  }
}

describe('a company is one entity by any identifier', () => {
  const forms = [
    'company-4711',
    '4711',
    'COMPANY-4711',
    'https://www.linkedin.com/company/company-4711/',
    'linkedin.com/company/4711/about/?trk=x#y',
    'https://pt.linkedin.com/school/company-4711',
    'http://www.linkedin.com/showcase/4711',
    'urn:li:company:4711',
    'urn:li:organization:4711',
    'company/company-4711/',
  ]

  test('slug, number and every form of its URL share one record, one history and one upstream call', async () => {
    const [first, ...others] = forms
    expectRecord(await service.company(first ?? ''), service.clock.now(), live)
    for (const form of others) {
      const answer = await service.company(form)
      expectRecord(answer, service.clock.now(), store)
      expect(answer.json['company_id']).toBe('4711')
    }
    expect(service.upstream.requests).toHaveLength(1)
    expect(await historyOf('companies', '4711', 'id')).toEqual(await historyOf('companies', 'company-4711'))
  })

  test('a new version appears at once under all of them', async () => {
    await service.company('company-4712')
    await service.company('4712')
    service.upstream.companies.set('company-4712', { ...contractCompany('company-4712'), tagline: 'Newer' })
    await service.company('4712', '&bypass_cache=true')

    const answer = await service.company('linkedin.com/company/company-4712')
    expectRecord(answer, service.clock.now(), store)
    expect(answer.json['tagline']).toBe('Newer')
  })

  test('a 404 withdraws the copy under the requested name', async () => {
    await service.company('company-4713')
    service.upstream.companies.set('company-4713', null)
    expectProblem(await service.company('company-4713', '&bypass_cache=true'), 404, 'not_found')
    expectProblem(await service.company('company-4713'), 404, 'not_found')
    expectRecord(await service.company('4713'), service.clock.now(), store)
  })
})

describe('slugs are aliases that may move', () => {
  test('a renamed slug finds the same history, and the old name the newest record', async () => {
    service.upstream.people.set('old-name', person(101, 'old-name'))
    await service.person('old-name')
    service.clock.advance({ days: 1 })
    service.upstream.people.set('new-name', person(101, 'new-name', { headline: 'Renamed' }))
    await service.person('new-name')

    const history = await historyOf('people', 'new-name')
    expect(history?.key).toBe('urn:li:member:101')
    expect(history?.versions).toHaveLength(2)
    expect(await historyOf('people', 'old-name')).toEqual(history)
    const old = await service.person('old-name')
    expectRecord(old, service.clock.now(), store)
    expect(old.json['headline']).toBe('Renamed')
  })

  test('a slug that someone else took over follows the newest fetch, and the two histories never mix', async () => {
    service.upstream.people.set('coveted', person(201, 'coveted', { first_name: 'First' }))
    await service.person('coveted')
    service.clock.advance({ hours: 1 })
    service.upstream.people.set('coveted', person(202, 'coveted', { first_name: 'Second' }))
    await service.person('coveted', '&bypass_cache=true')

    expect((await service.person('coveted')).json['first_name']).toBe('Second')
    const first = await service.person('ACoAA201fiction')
    expectRecord(first, service.clock.now(), { source: 'store', ageSeconds: 3_600 })
    expect(first.json['first_name']).toBe('First')
    expect((await historyOf('people', 'coveted'))?.key).toBe('urn:li:member:202')
    expect((await historyOf('people', 'coveted'))?.versions).toHaveLength(1)
    expect((await historyOf('people', 'ACoAA201fiction', 'opaque'))?.versions).toHaveLength(1)
  })

  test('the name moves even if its new holder is fetched under another name', async () => {
    service.upstream.people.set('wanted', person(301, 'wanted', { first_name: 'First' }))
    await service.person('wanted')
    service.clock.advance({ hours: 1 })
    service.upstream.people.set('someone', person(302, 'wanted', { first_name: 'Second' }))
    await service.person('someone')

    const answer = await service.person('wanted')
    expectRecord(answer, service.clock.now(), store)
    expect(answer.json['first_name']).toBe('Second')
  })
})

describe('the URNs of a record are identifiers', () => {
  test('member_urn and entity_urn, as served, return the stored record', async () => {
    const { json } = await service.person('urn-holder')
    for (const urn of [json['member_urn'], json['entity_urn']]) {
      const answer = await service.person(String(urn))
      expectRecord(answer, service.clock.now(), store)
      expect(answer.json['public_identifier']).toBe('urn-holder')
    }
    expect(service.upstream.requests).toHaveLength(1)
  })

  test('if the stored copy is too old the provider is asked by the public name', async () => {
    service.upstream.people.set('urn-fresh', person(401, 'urn-fresh'))
    await service.person('urn-fresh')
    service.upstream.people.set('urn-fresh', person(401, 'urn-fresh', { headline: 'Newer' }))
    const answer = await service.person('urn:li:member:401', '&max_age_days=0')
    expectRecord(answer, service.clock.now(), live)
    expect(answer.json['headline']).toBe('Newer')
  })

  test('a name that has moved to someone else never answers the URN of its former holder', async () => {
    service.upstream.people.set('urn-moved', person(402, 'urn-moved'))
    await service.person('urn-moved')
    service.upstream.people.set('urn-moved', person(403, 'urn-moved', { first_name: 'Other' }))
    const answer = await service.person('urn:li:member:402', '&bypass_cache=true')
    expectProblem(answer, 404, 'not_found')
    expect((await service.person('urn:li:member:403')).json['first_name']).toBe('Other')
  })

  test('a URN that is not stored is not found, and no provider is asked for it', async () => {
    expectProblem(await service.person('urn:li:member:404404'), 404, 'not_found')
    expect(service.upstream.requests).toHaveLength(0)
  })
})

describe('the optional parts of a person', () => {
  const flags = {
    network_info: 'include_network_info',
    contact_info: 'include_contact_info',
    verifications: 'get_verification_details',
  } as const
  const fields = ['network_info', 'contact_info', 'verifications'] as const

  test('are always stored and blanked in answers, in every combination, from one upstream call', async () => {
    const whole = contractPerson('many-parts')
    for (let choice = 0; choice < 8; choice++) {
      const asked = fields.filter((_, index) => choice & (1 << index))
      const query = asked.map((field) => `&${flags[field]}=true`).join('')
      const blanked = Object.fromEntries(fields.filter((field) => !asked.includes(field)).map((field) => [field, null]))
      const answer = await service.person('many-parts', query)
      expect(answer.text).toBe(JSON.stringify({ ...whole, ...blanked }))
    }
    expect(service.upstream.requests).toHaveLength(1)
  })
})

describe('a thin answer', () => {
  const thinPerson = (slug: string) => ({ ...contractPerson(slug), headline: null, experience: [], education: [] })
  const thinOf = (text: string) => JSON.parse(text) as { headline: string | null }

  test('is served and marked, even from the store', async () => {
    service.upstream.people.set('thin-one', thinPerson('thin-one'))
    const first = await service.person('thin-one')
    const again = await service.person('thin-one')

    expectRecord(first, service.clock.now(), live)
    expectRecord(again, service.clock.now(), store)
    expect([first, again].map(({ headers }) => headers.get('x-record-thin'))).toEqual(['true', 'true'])
    const company = { ...contractCompany('thin-company') }
    const identity = ['company_id', 'public_identifier', 'company_name', 'platform_url']
    const thin = Object.fromEntries(
      Object.entries(company).map(([field, value]) => [field, identity.includes(field) ? value : null]),
    )
    service.upstream.companies.set('thin-company', thin)
    expect((await service.company('thin-company')).headers.get('x-record-thin')).toBe('true')
    expect((await service.company('company-1')).headers.get('x-record-thin')).toBeNull()
  })

  test('is kept in history but does not replace a fuller copy, which stays served', async () => {
    await service.person('thinning')
    service.clock.advance({ days: 8 })
    service.upstream.people.set('thinning', thinPerson('thinning'))
    const thin = await service.person('thinning')
    expectRecord(thin, service.clock.now(), live)
    expect(thin.headers.get('x-record-thin')).toBe('true')
    expect(thinOf(thin.text).headline).toBeNull()

    const versions = (await historyOf('people', 'thinning'))?.versions
    expect(versions?.map((version) => [version.thin, version.current])).toEqual([
      [true, false],
      [false, true],
    ])
    await service.upstream.setFault('malformed')
    const full = await service.person('thinning')
    expectRecord(full, service.clock.now(), { source: 'stale_fallback', ageSeconds: 8 * 86_400 })
    expect(full.headers.get('x-record-thin')).toBeNull()
    expect(thinOf(full.text).headline).not.toBeNull()
  })

  test('leaves a young fuller copy as the store answer, even right after a bypassed thin answer', async () => {
    await service.person('still-full')
    service.upstream.people.set('still-full', thinPerson('still-full'))
    service.clock.advance({ hours: 1 })
    await service.person('still-full', '&bypass_cache=true')

    const answer = await service.person('still-full')
    expectRecord(answer, service.clock.now(), { source: 'store', ageSeconds: 3_600 })
    expect(answer.headers.get('x-record-thin')).toBeNull()
  })

  test('replaces a fuller copy of 90 days and more', async () => {
    await service.person('long-gone')
    service.clock.advance({ days: 90 })
    service.upstream.people.set('long-gone', thinPerson('long-gone'))
    await service.person('long-gone')

    const answer = await service.person('long-gone')
    expectRecord(answer, service.clock.now(), store)
    expect(answer.headers.get('x-record-thin')).toBe('true')
  })
})
