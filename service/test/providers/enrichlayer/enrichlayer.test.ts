import type { Company, Person } from '@vitae/contract'
import { describe, expect, test } from 'vitest'
import { enrichlayer, enrichlayerDefaultUrl } from '../../../src/providers/enrichlayer/enrichlayer.ts'
import { company, person } from '../fixtures/enrichlayer.ts'
import { expectSturdy } from '../mutations.ts'
import { companyAt, personAt } from '../projected.ts'
import { expectDeclared, expectKnownPaths, expectValidProjection } from '../projection-rules.ts'
import { askFor, scriptedSend } from '../scripted-send.ts'
import { kindOf, sharedPayloads } from '../shared-payloads.ts'
import { expectOneGroupPerCompany, groupsOf, periodOf } from '../shown.ts'

const provider = enrichlayer({ url: enrichlayerDefaultUrl, key: 'secret-key' })
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const real = sharedPayloads('enrichlayer')
const personOf = (payload: Uint8Array): Person => personAt(provider, payload)
const companyOf = (payload: Uint8Array): Company => companyAt(provider, payload)

describe('a fictional profile', () => {
  test('has one group per company, current first, then by later start', () => {
    expect(groupsOf(personOf(bytes(person)))).toEqual([
      { name: 'Flow & Co', id: null, url: null, period: '2018-05..', positions: ['Advisor 2018-05..'] },
      {
        name: 'Ebb Office',
        id: null,
        url: 'https://www.linkedin.com/company/ebb-office',
        period: '2012-03..',
        positions: ['Tide reader 2019-09..', 'Junior tide reader 2012-03..2016-01'],
      },
      {
        name: 'School of Moons',
        id: '424242',
        url: 'https://www.linkedin.com/school/424242',
        period: '2016-02..2018-04',
        positions: ['Lecturer 2016-02..2018-04'],
      },
    ])
  })

  test('has no precision that the provider made up', () => {
    const { education, certifications, projects, honors, publications } = personOf(bytes(person))

    expect(education.map((item) => periodOf(item.date_range))).toEqual(['2007..2011', null])
    expect(periodOf(certifications[0]?.date_range)).toBe('2020-09..2023-09')
    expect(periodOf(projects[0]?.date_range)).toBe('2019-01..2019-06')
    expect(periodOf(honors[0]?.date_range)).toBe('2019-04..2019-04')
    expect(periodOf(publications[0]?.date_range)).toBe('2020-06..2020-06')
  })

  test('fills everything that Enrich Layer knows', () => {
    const { record, identity, sourceUpdatedAt } = provider.project('people', bytes(person))

    expect(record).toMatchObject({
      member_urn: identity.key,
      entity_urn: null,
      public_identifier: 'wren-saltmarsh',
      first_name: 'Wren',
      last_name: 'Saltmarsh',
      headline: 'Tide reader',
      summary: 'Reads tides.\n\nAll of them.',
      industry: 'Oceanography',
      profile_photo_url: 'https://media.example/wren.jpg',
      profile_url: 'https://www.linkedin.com/in/wren-saltmarsh',
      websites: ['https://www.linkedin.com/in/wren-saltmarsh'],
      location: { name: 'Bergen, Vestland, Norway', city: 'Bergen', country: 'Norway', country_code: 'NO' },
      network_info: { followers_count: 1204, connections_count: 500, custom_action: null },
      verifications: null,
      contact_info: {
        email_address: 'wren@mail.example',
        websites: [{ url: 'wren.example', type: null, label: null }],
        twitter_handles: ['wrentides'],
        phone_numbers: ['+47 00 00 00'],
        birth_date: { year: 1988, month: 3, day: 7, iso: '1988-03-07' },
        address: null,
      },
      skills: ['Tides', 'Ropes'],
    })
    expect(identity.derived).toBe(true)
    expect(identity.aliases).toEqual([{ type: 'slug', value: 'wren-saltmarsh' }])
    expect(sourceUpdatedAt).toBe(Date.UTC(2026, 10, 1, 10))
  })

  test('has ten sections in the one shape', () => {
    const record = personOf(bytes(person))

    expect(record.certifications).toMatchObject([
      { name: 'Master of Tides', title: 'Master of Tides', company: 'Tide Guild', url: 'https://guild.example/77' },
    ])
    expect(record.courses).toMatchObject([{ name: 'Waves', date_range: null }])
    expect(record.honors).toMatchObject([{ title: 'Golden Float', company: 'Harbour Board' }])
    expect(record.languages.map(({ name, proficiency }) => [name, proficiency])).toEqual([
      ['Norwegian', 'Native or bilingual proficiency'],
      ['Danish', null],
    ])
    expect(record.organizations).toMatchObject([{ name: 'Tide Club', position_held: 'Captain', description: 'Leads.' }])
    expect(record.patents).toMatchObject([{ title: 'Float', company: 'NO', description: 'Floats.', date_range: null }])
    expect(record.projects).toMatchObject([{ title: 'Long wave', url: 'https://wave.example' }])
    expect(record.publications).toMatchObject([{ name: 'On ebbs', company: 'Water Press' }])
    expect(record.test_scores).toMatchObject([{ name: 'Knots', date_range: { start: { iso: '2010-02' } } }])
    expect(record.volunteer_experiences).toMatchObject([
      { title: 'Lifeboat crew', company: 'Lifeboats', company_id: '777', image_url: 'https://media.example/boat.png' },
    ])
  })

  test('keeps languages that come without a level', () => {
    const { languages } = personOf(bytes({ ...person, languages_and_proficiencies: [] }))

    expect(languages.map(({ name, proficiency }) => [name, proficiency])).toEqual([
      ['Norwegian', null],
      ['Danish', null],
    ])
  })

  test('has a derived key that is always the same for one slug, and no other', () => {
    const keyOf = (slug: string) =>
      provider.project('people', bytes({ ...person, public_identifier: slug })).identity.key

    expect(keyOf('wren-saltmarsh')).toBe(keyOf('Wren-Saltmarsh'))
    expect(keyOf('wren-saltmarsh')).not.toBe(keyOf('wren-saltmarsh-2'))
  })

  test('is the same inside the wrapper of a collector', () => {
    const wrapped = { success: true, data: person, status_code: 200 }

    expect(provider.project('people', bytes(wrapped))).toEqual(provider.project('people', bytes(person)))
  })
})

test('a fictional company fills everything that Enrich Layer knows of one', () => {
  const quay = {
    country: 'no',
    geographic_area: null,
    city: 'Bergen',
    postal_code: '5003',
    address_line1: 'Quay 1',
    is_headquarter: true,
  }
  const summary = { description: null, logo_url: null, followers_count: null, is_paid: null, entity_urn: null }

  expect(companyOf(bytes(company))).toEqual({
    company_id: '5550123',
    public_identifier: 'ebb-office',
    company_name: 'Ebb Office',
    tagline: 'We wait',
    description: 'Waits.\n\nFor water.',
    company_type: { type_code: 'EDUCATIONAL', type_name: 'Educational' },
    locations: {
      headquarter: quay,
      all_locations: [
        {
          country: 'dk',
          geographic_area: 'Nord',
          city: 'Skagen',
          postal_code: null,
          address_line1: null,
          is_headquarter: false,
        },
        quay,
      ],
    },
    industries: [{ id: null, name: 'Waiting' }],
    specialities: ['Ebb', 'Flow'],
    staff_info: { staff_count: 37, staff_range: { start: 10_001, end: null } },
    followers_count: 1870,
    founded_on: { year: 1499, month: null, day: null },
    platform_url: 'https://www.linkedin.com/company/ebb-office',
    company_url: 'ebb.example',
    logo_url: 'https://media.example/ebb.png',
    background_photo_url: 'https://media.example/ebb-cover.png',
    cover_image_url: null,
    call_to_action: null,
    phone_number: '+47 11 11 11',
    auto_generated: null,
    claimable: null,
    is_paid: null,
    is_showcase: null,
    funding_data: {
      num_of_funding_rounds: 7,
      last_funding_round: {
        funding_type: 'Series C',
        money_raised: { amount: 6_000_000_000, currency: 'usd' },
        announced_on: { year: 2021, month: 5, day: 4 },
        lead_investors: [
          { name: 'Moon Capital', logo: null, investor_url: 'https://www.linkedin.com/company/moon-capital' },
        ],
        num_of_other_investors: 4,
        round_url: null,
      },
    },
    showcase_pages: [
      {
        ...summary,
        company_name: 'Ebb Deep',
        public_identifier: 'ebb-deep',
        company_url: 'https://www.linkedin.com/showcase/ebb-deep',
        industries: [],
        is_showcase: true,
      },
    ],
    affiliated_companies: [
      {
        ...summary,
        company_name: 'Flow',
        public_identifier: 'flow',
        company_url: 'https://www.linkedin.com/company/flow',
        industries: [{ id: null, name: 'Flowing' }],
        is_showcase: false,
      },
      {
        ...summary,
        entity_urn: 'urn:li:company:9090',
        company_name: 'Ebb School',
        public_identifier: null,
        company_url: 'https://www.linkedin.com/school/9090',
        industries: [],
        is_showcase: false,
      },
    ],
  })
})

test('funding that was not asked for is null, funding that never was is empty', () => {
  expect(companyOf(bytes({ ...company, funding_data: null })).funding_data).toBeNull()
  expect(companyOf(bytes({ ...company, funding_data: [], extra: null })).funding_data).toEqual({
    num_of_funding_rounds: 0,
    last_funding_round: null,
  })
})

test.each([[{}], [[]], ['text'], [null], [{ headline: 'Nobody' }], [{ code: 404, name: 42, description: 'None' }]])(
  'a payload that names nobody is unusable: %j',
  (payload) => {
    expect(() => provider.project('people', bytes(payload))).toThrow(expect.objectContaining({ kind: 'invalid' }))
  },
)

test('a person is no company and a company no person', () => {
  expect(() => provider.project('companies', bytes(person))).toThrow(expect.objectContaining({ kind: 'invalid' }))
  expect(() => provider.project('people', bytes(company))).toThrow(expect.objectContaining({ kind: 'invalid' }))
})

describe('an ask', () => {
  const now = Date.UTC(2026, 10, 14)
  const aged = (days: number) => ({
    ...person,
    meta: { last_updated: new Date(now - days * 86_400_000).toISOString() },
  })
  const flags = (url: URL | undefined) =>
    ['live_fetch', 'use_cache', 'fallback_to_cache'].map((name) => url?.searchParams.get(name) ?? null)

  test('takes a copy of the provider that is young enough', async () => {
    const { send, requests } = scriptedSend({ body: aged(6), headers: { 'X-Proxycurl-Credit-Cost': '1' } })

    const verdict = await provider.ask(askFor('people', 'slug', 'wren-saltmarsh'), send)

    expect(verdict).toMatchObject({ outcome: 'found', cost: 1 })
    expect(requests.map(({ url }) => flags(url))).toEqual([[null, 'if-recent', 'never']])
  })

  test('forces one live fetch when the copy is too old, and counts what both cost', async () => {
    const cost = (credits: string) => ({ 'x-proxycurl-credit-cost': credits })
    const { send, requests } = scriptedSend(
      { body: aged(8), headers: cost('1') },
      { body: aged(8), headers: cost('10') },
    )

    const verdict = await provider.ask(askFor('people', 'slug', 'wren-saltmarsh'), send)

    expect(verdict).toMatchObject({ outcome: 'found', cost: 11 })
    expect(requests.map(({ url }) => flags(url))).toEqual([
      [null, 'if-recent', 'never'],
      ['force', null, 'never'],
    ])
  })

  test('that wants fresh data goes past the cache at once', async () => {
    const { send, requests } = scriptedSend({ body: aged(0) })

    await provider.ask(askFor('people', 'slug', 'wren-saltmarsh', { fresh: true, maxAgeDays: 0 }), send)

    expect(requests.map(({ url }) => flags(url))).toEqual([['force', null, 'never']])
  })

  test('for a company number asks for its page first', async () => {
    const { send, requests } = scriptedSend(
      { body: { url: 'https://www.linkedin.com/company/ebb-office' } },
      { body: company },
    )

    const verdict = await provider.ask(askFor('companies', 'id', '5550123', { maxAgeDays: 30 }), send)

    expect(verdict.outcome).toBe('found')
    expect(
      requests.map(({ url }) => [url.pathname, url.searchParams.get('id') ?? url.searchParams.get('url')]),
    ).toEqual([
      ['/api/v2/company/resolve-id', '5550123'],
      ['/api/v2/company', 'https://www.linkedin.com/company/ebb-office'],
    ])
  })

  test('for a number that no page has ends there', async () => {
    const { send } = scriptedSend({ body: { url: null } })

    expect((await provider.ask(askFor('companies', 'id', '1'), send)).outcome).toBe('not_found')
  })

  test('for a company that is a school finds it at the other endpoint', async () => {
    const { send, requests } = scriptedSend({ status: 404, body: { code: 404 } }, { body: company })

    const verdict = await provider.ask(askFor('companies', 'slug', 'school-of-moons', { maxAgeDays: 30 }), send)

    expect(verdict.outcome).toBe('found')
    expect(requests.map(({ url }) => `${url.pathname} ${url.searchParams.get('url')}`)).toEqual([
      '/api/v2/company https://www.linkedin.com/company/school-of-moons/',
      '/api/v2/school https://www.linkedin.com/school/school-of-moons/',
    ])
  })

  test('reads "not found" inside a 200, and nothing of the kind out of a web page', async () => {
    const hidden = scriptedSend({
      body: { code: 404, name: 'Not Found', description: 'Person profile does not exist' },
    })
    const page = scriptedSend({ status: 404, body: '<html>nginx</html>' })

    expect((await provider.ask(askFor('people', 'slug', 'x'), hidden.send)).outcome).toBe('not_found')
    await expect(provider.ask(askFor('people', 'slug', 'x'), page.send)).rejects.toMatchObject({ kind: 'invalid' })
  })
})

describe('payloads never seen before are mapped or refused', () => {
  const files = (kind: string) => [...real].filter(([file]) => kindOf(file) === kind).map(([, content]) => content)

  test('people', () => expectSturdy(provider, 'people', [bytes(person), ...files('people')]), 120_000)
  test('companies', () => expectSturdy(provider, 'companies', [bytes(company), ...files('companies')]), 120_000)
})

test('what it fills is declared, and what is declared exists', () => {
  expectKnownPaths('people', provider.supplies.people)
  expectKnownPaths('companies', provider.supplies.companies)
  expectDeclared(provider, 'people', provider.project('people', bytes(person)))
  expectDeclared(provider, 'companies', provider.project('companies', bytes(company)))
})

describe.skipIf(real.size === 0)('the real payloads', () => {
  const payload = (file: string) => real.get(file) ?? new Uint8Array()
  // oxlint-disable-next-line typescript/no-explicit-any -- foreign JSON, compared by hand
  const source = (file: string): any => JSON.parse(new TextDecoder().decode(payload(file)))

  test('are all lawful and declared', () => {
    for (const [file, content] of real) {
      const projection = provider.project(kindOf(file), content)
      expectValidProjection(kindOf(file), projection)
      expectDeclared(provider, kindOf(file), projection)
      if ('member_urn' in projection.record) expectOneGroupPerCompany(projection.record)
    }
  })

  test('person-1: five current jobs by later start, months but no days, years alone for schools', () => {
    const record = personOf(payload('person-1'))

    expect(groupsOf(record).map(({ period }) => period)).toEqual([
      '2022-01..',
      '2020-10..',
      '2017-05..',
      '2016-03..',
      '2003-08..',
    ])
    expect(record.experience.every((group) => group.company_url?.startsWith('https://www.linkedin.com/company/'))).toBe(
      true,
    )
    expect(record.education.map((item) => periodOf(item.date_range))).toEqual([
      '2018..2018',
      '2012..2012',
      '2008..2010',
      '2007..2008',
      '2007..2007',
      '2003..2005',
    ])
    expect(record.education.map((item) => item.school_name !== null)).toEqual([false, true, false, true, false, false])
    expect(record.certifications.length).toBe(11)
    expect(record.certifications.map((item) => periodOf(item.date_range)).slice(-3)).toEqual([
      '2017-10..2019-12',
      null,
      null,
    ])
    expect(record.languages.length).toBe(4)
    expect(record.location.country_code).toBe('FI')
    expect(record.network_info).toEqual({ followers_count: 2024, connections_count: 500, custom_action: null })
    expect(record.member_urn).toMatch(/^urn:vitae:person:[0-9a-f]{16}$/)
    expect(periodOf(record.projects[0]?.date_range)).toBe('2019-01..2019-06')
  })

  test('person-3: one current job of three, schools by number', () => {
    const record = personOf(payload('person-3'))

    expect(groupsOf(record).map(({ period }) => period)).toEqual(['2018-11..', '2014-03..2018-11', '2012-02..2014-03'])
    expect(record.education.map((item) => [item.school_id, item.company_id])).toEqual(
      source('person-3').education.map((item: { school_linkedin_profile_url: string }) => {
        const number = /\d+/.exec(item.school_linkedin_profile_url)?.[0]
        return [number, number]
      }),
    )
    expect(record.education.map((item) => periodOf(item.date_range))).toEqual(['2012..2014', '2008..2012'])
    expect(record.location.country_code).toBe('US')
  })

  test('company-1: a thin funding and a full page', () => {
    const record = companyOf(payload('company-1'))

    expect(record.company_id).toBe(source('company-1').linkedin_internal_id)
    expect(record.company_type?.type_code).toBe('PRIVATELY_HELD')
    expect(record.staff_info).toEqual({ staff_count: 37, staff_range: { start: 51, end: 200 } })
    expect(record.locations?.headquarter).toMatchObject({ country: 'fi', city: 'Helsinki', is_headquarter: true })
    expect(record.locations?.all_locations?.length).toBe(1)
    expect(record.specialities?.length).toBe(13)
    expect(record.founded_on?.year).toBe(2005)
    expect(record.funding_data).toBeNull()
    expect([record.showcase_pages, record.affiliated_companies]).toEqual([[], []])
  })

  test('company-2: an open bracket, a showcase page among the affiliates', () => {
    const record = companyOf(payload('company-2'))

    expect(record.company_id).toMatch(/^\d{4}$/)
    expect(record.company_type?.type_code).toBe('PUBLIC_COMPANY')
    expect(record.staff_info).toEqual({ staff_count: 319_856, staff_range: { start: 10_001, end: null } })
    expect(record.locations?.all_locations?.map((place) => [place.country, place.is_headquarter])).toEqual([
      ['us', true],
      ['us', false],
    ])
    expect(record.founded_on).toBeNull()
    expect(record.showcase_pages?.length).toBe(1)
    expect(record.affiliated_companies?.length).toBe(1)
    expect(record.affiliated_companies?.[0]?.is_showcase).toBe(false)
  })
})
