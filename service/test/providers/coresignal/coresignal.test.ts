import type { Company, Person } from '@vitae/contract'
import { describe, expect, test } from 'vitest'
import { coresignal, coresignalDefaultUrl } from '../../../src/providers/coresignal/coresignal.ts'
import { base, clean, multiSource, person } from '../fixtures/coresignal.ts'
import { expectSturdy } from '../mutations.ts'
import { companyAt, personAt } from '../projected.ts'
import { expectDeclared, expectKnownPaths, expectValidProjection } from '../projection-rules.ts'
import { askFor, scriptedSend } from '../scripted-send.ts'
import { kindOf, sharedPayloads } from '../shared-payloads.ts'
import { expectOneGroupPerCompany, groupsOf, periodOf } from '../shown.ts'

const provider = coresignal({ url: coresignalDefaultUrl, key: 'secret-key' })
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const real = sharedPayloads('coresignal')
const personOf = (payload: Uint8Array): Person => personAt(provider, payload)
const companyOf = (payload: Uint8Array): Company => companyAt(provider, payload)

describe('a fictional profile', () => {
  test('has one group per company, whatever the company was called and whether or not its id came along', () => {
    const { experience, ...record } = personOf(bytes(person))

    expect(groupsOf({ ...record, experience })).toEqual([
      { name: 'Quarry and Quarry', id: null, url: null, period: '..', positions: ['Owner ..'] },
      {
        name: 'The Minds of Marble',
        id: null,
        url: 'https://www.linkedin.com/company/marble-minds',
        period: '2003-07..2016-05',
        positions: ['Head cutter 2014-03..2016-05', 'Cutter 2008-02..2013', 'Apprentice 2003-07..2003-09'],
      },
    ])
    expect(experience[1]).toMatchObject({
      company_industry: 'Stone',
      company_employee_count_range: { start: 5001, end: 10_000 },
    })
  })

  test("keeps the vendor's ids out of the record and among the aliases", () => {
    const { record, identity } = provider.project('people', bytes(person))

    expect(JSON.stringify(record)).not.toMatch(/700000001|10857610/)
    expect(identity).toEqual({
      key: 'urn:li:member:27182818',
      derived: false,
      aliases: [
        { type: 'urn', value: 'urn:li:member:27182818' },
        { type: 'member', value: '27182818' },
        { type: 'slug', value: 'odile-quarry' },
        { type: 'coresignal', value: '700000001' },
      ],
    })
  })

  test('fills everything that Coresignal knows', () => {
    const { record, sourceUpdatedAt } = provider.project('people', bytes(person))

    expect(record).toMatchObject({
      public_identifier: 'odile-quarry',
      first_name: 'Odile',
      last_name: 'Quarry',
      headline: 'Stone cutter',
      summary: 'Cuts.\nStones.',
      profile_photo_url: null,
      profile_url: 'https://www.linkedin.com/in/odile-quarry',
      location: { name: 'Evora, Portugal', city: 'Evora', country: 'Portugal', country_code: 'PT' },
      network_info: { followers_count: 812, connections_count: 500, custom_action: null },
      contact_info: { email_address: 'odile@stones.example', websites: [], phone_numbers: [], birth_date: null },
      skills: ['stones', 'saws'],
      volunteer_experiences: [],
      test_scores: [],
    })
    expect(sourceUpdatedAt).toBe(Date.UTC(2026, 9, 5, 8))
  })

  test('has degree and field apart, schools in the order of the profile', () => {
    const { education } = personOf(bytes(person))

    expect(
      education.map((item) => [item.school_name, item.degree, item.field_of_study, periodOf(item.date_range)]),
    ).toEqual([
      ['Sand Hall', 'PhD', null, null],
      ['School of Stone', 'Dual Degree (B.Tech, M.Tech)', 'Stone, Sand and Lime', '1999..2003'],
    ])
    expect(education[1]).toMatchObject({
      school_url: 'https://www.linkedin.com/school/school-of-stone',
      school_id: null,
      activities: 'Chisel Club',
    })
  })

  test('has its sections in the one shape', () => {
    const record = personOf(bytes(person))
    const shown = (items: Person['honors']) =>
      items.map(({ name, company, date_range: range }) => [name, company, periodOf(range)])

    expect(shown(record.honors)).toEqual([
      ['Sharpest Saw', 'Saw Board', '2024-03-15..2024-03-15'],
      ['Second Saw', null, null],
    ])
    expect(shown(record.courses)).toEqual([['Dust', 'Dust Academy', null]])
    expect(shown(record.certifications)).toEqual([['Master Mason', 'Lodge', '2023-11..']])
    expect(record.certifications[0]).toMatchObject({ company_id: '3131', url: 'https://lodge.example/1' })
    expect(shown(record.patents)).toEqual([['Wet saw', null, '2023-09-10..2023-09-10']])
    expect(record.patents[0]?.description).toBe('Wets.')
    expect(shown(record.publications)).toEqual([['On dust', 'Dust Press, Sand Press', '2021-12..2021-12']])
    expect(shown(record.projects)).toEqual([['Big block', null, '2018-10..2019-05']])
    expect(record.organizations).toMatchObject([
      { name: 'Masons', position_held: 'Treasurer', date_range: { end: null } },
    ])
    expect(record.languages).toMatchObject([{ name: 'Portuguese', proficiency: 'Native or bilingual proficiency' }])
  })
})

test('a company of the multi-source data set fills everything that it knows', () => {
  const hq = {
    country: 'fi',
    geographic_area: 'Pohjoispohjanmaa',
    city: 'Oulu',
    postal_code: '90590',
    address_line1: 'Rock Road 10',
    is_headquarter: true,
  }
  const investor = { logo: null, investor_url: null }

  expect(companyOf(bytes(multiSource))).toEqual({
    company_id: '5550199',
    public_identifier: 'marble-minds',
    company_name: 'Marble Minds',
    tagline: null,
    description: 'Minds marble.',
    company_type: { type_code: 'PRIVATELY_HELD', type_name: 'Privately Held' },
    locations: {
      headquarter: hq,
      all_locations: [
        hq,
        {
          country: 'gb',
          geographic_area: 'England',
          city: 'London',
          postal_code: 'EC1A 1BB',
          address_line1: '1 Sand St; Suite 2',
          is_headquarter: false,
        },
        {
          country: null,
          geographic_area: null,
          city: null,
          postal_code: null,
          address_line1: 'somewhere in the hills',
          is_headquarter: false,
        },
      ],
    },
    industries: [{ id: null, name: 'Stone' }],
    specialities: null,
    staff_info: { staff_count: 204, staff_range: { start: 10_001, end: null } },
    followers_count: 38_731,
    founded_on: { year: 1987, month: null, day: null },
    platform_url: 'https://www.linkedin.com/company/marble-minds',
    company_url: 'https://marble.example',
    logo_url: 'https://media.example/marble.png',
    background_photo_url: null,
    cover_image_url: null,
    call_to_action: null,
    phone_number: '+358 1',
    auto_generated: null,
    claimable: null,
    is_paid: null,
    is_showcase: false,
    funding_data: {
      num_of_funding_rounds: 3,
      last_funding_round: {
        funding_type: 'Series D',
        money_raised: { amount: 5_250_000_000, currency: 'usd' },
        announced_on: { year: 2023, month: 7, day: 4 },
        lead_investors: [
          { name: 'Moon Capital', ...investor },
          { name: 'Sun Capital', ...investor },
        ],
        num_of_other_investors: 3,
        round_url: null,
      },
    },
    showcase_pages: null,
    affiliated_companies: null,
  })
})

test('a company of the clean data set keeps its present slug and no picture in place of an address', () => {
  const record = companyOf(bytes(clean))

  expect(record).toMatchObject({
    company_id: '5550200',
    public_identifier: 'dust-and-daughters',
    company_type: { type_code: 'SELF_OWNED', type_name: 'Sole Proprietorship' },
    specialities: [],
    staff_info: { staff_count: 204, staff_range: { start: 1, end: 1 } },
    followers_count: 19_009,
    founded_on: { year: 2021, month: null, day: null },
    company_url: 'https://dust.example',
    logo_url: null,
    affiliated_companies: null,
    funding_data: {
      num_of_funding_rounds: 4,
      last_funding_round: {
        money_raised: { amount: 210_000_000, currency: 'usd' },
        announced_on: { year: 2025, month: 8, day: 15 },
        lead_investors: null,
        num_of_other_investors: 2,
        round_url: 'https://rounds.example/b',
      },
    },
  })
  expect(record.locations?.headquarter).toEqual({
    country: 'pt',
    geographic_area: 'Alentejo',
    city: 'Evora',
    postal_code: null,
    address_line1: null,
    is_headquarter: true,
  })
})

test('a company of the base data set leaves out what was deleted', () => {
  const { record, sourceUpdatedAt } = provider.project('companies', bytes(base))

  expect(record).toMatchObject({
    company_id: '5550201',
    public_identifier: 'grit',
    company_type: { type_code: 'NON_PROFIT' },
    specialities: ['Fine grit'],
    staff_info: { staff_count: null, staff_range: { start: 51, end: 200 } },
    locations: {
      headquarter: { country: 'pt', city: 'Porto', postal_code: '4050', address_line1: 'Quay 1, Floor 2' },
      all_locations: [],
    },
    funding_data: {
      num_of_funding_rounds: 1,
      last_funding_round: { funding_type: 'Series A', money_raised: { amount: 391_500, currency: 'eur' } },
    },
    affiliated_companies: [{ public_identifier: 'sand', company_url: 'https://www.linkedin.com/company/sand' }],
  })
  expect(sourceUpdatedAt).toBe(Date.UTC(2026, 9, 21, 11, 58, 33))
})

test.each([multiSource, clean, base])('a company is the same inside the wrapper of a collector: $id', (company) => {
  const wrapped = { success: true, data: company, status_code: 200 }

  expect(provider.project('companies', bytes(wrapped))).toEqual(provider.project('companies', bytes(company)))
})

test('without a number of the platform a company has a derived key, the same for one slug', () => {
  const without = { ...multiSource, source_id: null }
  const { identity, record } = provider.project('companies', bytes(without))

  expect(identity).toMatchObject({ key: expect.stringMatching(/^vitae-[0-9a-f]{16}$/), derived: true })
  expect(provider.project('companies', bytes({ ...without, id: 1 })).identity.key).toBe(identity.key)
  expect(JSON.stringify(record)).not.toContain('700000002')
})

test.each([[{}], [[]], ['text'], [{ id: 5 }], [{ success: false, status_code: 404, error: '{"detail":"none"}' }]])(
  'a payload that names nobody is unusable: %j',
  (payload) => {
    expect(() => provider.project('people', bytes(payload))).toThrow(expect.objectContaining({ kind: 'invalid' }))
    expect(() => provider.project('companies', bytes(payload))).toThrow(expect.objectContaining({ kind: 'invalid' }))
  },
)

test('a person is no company and a company no person', () => {
  expect(() => provider.project('companies', bytes(person))).toThrow(expect.objectContaining({ kind: 'invalid' }))
  for (const company of [multiSource, clean, base]) {
    expect(() => provider.project('people', bytes(company))).toThrow(expect.objectContaining({ kind: 'invalid' }))
  }
})

describe('an ask', () => {
  test('by number searches, because a number in the path is the id of another company', async () => {
    const { send, requests } = scriptedSend({ body: [700_000_002] }, { body: multiSource })

    const verdict = await provider.ask(askFor('companies', 'id', '5550199'), send)

    expect(verdict.outcome).toBe('found')
    expect(requests.map(({ method, url, body }) => [method, url.pathname, body])).toEqual([
      ['POST', '/cdapi/v2/company_multi_source/search/es_dsl', '{"query":{"term":{"source_id":"5550199"}}}'],
      ['GET', '/cdapi/v2/company_multi_source/collect/700000002', undefined],
    ])
  })

  test('by a number that the search does not know ends there', async () => {
    const { send } = scriptedSend({ body: [] })

    expect((await provider.ask(askFor('companies', 'id', '1'), send)).outcome).toBe('not_found')
  })

  test('never takes the record of another company for the one that was asked for', async () => {
    const { send } = scriptedSend({ status: 404, body: { detail: 'Not Found' } }, { body: multiSource })

    expect((await provider.ask(askFor('companies', 'id', '42'), send)).outcome).toBe('not_found')
  })

  test('for a person whose slug is a number goes by page', async () => {
    const { send, requests } = scriptedSend({ body: person })

    await provider.ask(askFor('people', 'slug', '12345'), send)

    expect(decodeURIComponent(requests[0]?.url.pathname ?? '')).toBe(
      '/cdapi/v2/employee_multi_source/collect/https://www.linkedin.com/in/12345',
    )
  })

  test('finds nobody behind a record that was deleted', async () => {
    const { send } = scriptedSend({ body: { ...person, is_deleted: 1 } })

    expect((await provider.ask(askFor('people', 'slug', 'odile-quarry'), send)).outcome).toBe('not_found')
  })

  test('does not answer "not found" to an id that it cannot look up', async () => {
    const { send, requests } = scriptedSend()

    await expect(provider.ask(askFor('people', 'opaque', 'ACoAAB12345'), send)).rejects.toMatchObject({
      kind: 'unavailable',
    })
    expect(requests).toEqual([])
  })

  test('reads the wrapped refusals of a collector as what they are', async () => {
    const refused = (status: number) =>
      scriptedSend({ body: { success: false, status_code: status, error: '{}' } }).send
    const ask = askFor('people', 'slug', 'x')

    expect((await provider.ask(ask, refused(404))).outcome).toBe('not_found')
    await expect(provider.ask(ask, refused(402))).rejects.toMatchObject({ kind: 'rejected' })
    await expect(provider.ask(ask, refused(503))).rejects.toMatchObject({ kind: 'unavailable' })
  })
})

describe('payloads never seen before are mapped or refused', () => {
  const files = (kind: string) => [...real].filter(([file]) => kindOf(file) === kind).map(([, content]) => content)
  const companies = [multiSource, clean, base].map(bytes)

  test('people', () => expectSturdy(provider, 'people', [bytes(person), ...files('people')]), 240_000)
  test('companies', () => expectSturdy(provider, 'companies', [...companies, ...files('companies')]), 240_000)
})

test('what it fills is declared, and what is declared exists', () => {
  expectKnownPaths('people', provider.supplies.people)
  expectKnownPaths('companies', provider.supplies.companies)
  expectDeclared(provider, 'people', provider.project('people', bytes(person)))
  for (const company of [multiSource, clean, base]) {
    expectDeclared(provider, 'companies', provider.project('companies', bytes(company)))
  }
})

describe.skipIf(real.size === 0)('the real payloads', () => {
  const payload = (file: string) => real.get(file) ?? new Uint8Array()
  // oxlint-disable-next-line typescript/no-explicit-any -- foreign JSON, compared by hand
  const source = (file: string): any => JSON.parse(new TextDecoder().decode(payload(file)))

  test('are all lawful and declared, and tell when they were last seen', () => {
    for (const [file, content] of real) {
      const projection = provider.project(kindOf(file), content)
      expectValidProjection(kindOf(file), projection)
      expectDeclared(provider, kindOf(file), projection)
      expect(projection.identity.derived).toBe(false)
      expect(projection.sourceUpdatedAt).toBeGreaterThan(Date.UTC(2025, 7))
      if ('member_urn' in projection.record) expectOneGroupPerCompany(projection.record)
    }
  })

  test("no id of the vendor's own is in any record", () => {
    for (const [file, content] of real) {
      const raw = source(file).data ?? source(file)
      const ids = [raw.id, ...(raw.experience ?? []).map((row: { company_id: number | null }) => row.company_id)]
      const { record } = provider.project(kindOf(file), content)
      const found = [JSON.stringify(record).match(/"(company_id|member_urn|school_id)":"[^"]*"/g) ?? []].flat()

      for (const id of ids.filter(Boolean)) expect(found.some((field) => field.includes(`"${id}"`))).toBe(false)
    }
  })

  test('person-1: twelve rows are nine groups: a promotion in three steps, a return after years', () => {
    const record = personOf(payload('person-1'))

    expect(source('person-1').experience.length).toBe(12)
    expect(groupsOf(record).map(({ period }) => period)).toEqual([
      '2021-02..',
      '2016-07..2020-12',
      '2015-10..2016-07',
      '2014-11..2015-10',
      '2013-05..2014-12',
      '2011-12..2014-12',
      '2003-07..2013',
      '2006-09..2011-11',
      '2004-02..2004-09',
    ])
    expect(record.experience.map((group) => group.positions.length)).toEqual([1, 3, 1, 1, 1, 1, 2, 1, 1])
    expect(record.experience[1]?.positions.map((position) => periodOf(position.date_range))).toEqual([
      '2019-12..2020-12',
      '2018-09..2019-12',
      '2016-07..2018-09',
    ])
    expect(record.experience.map((group) => group.company_employee_count_range.start)).toEqual([
      501,
      201,
      10_001,
      10_001,
      null,
      10_001,
      51,
      5001,
      10_001,
    ])
    expect(record.experience[7]?.company_employee_count_range).toEqual({ start: 5001, end: 10_000 })
    expect(record.member_urn).toBe(`urn:li:member:${source('person-1').public_profile_id}`)
    expect(record.location.country_code).toBe('US')
    expect(record.education.map((item) => [periodOf(item.date_range), item.field_of_study !== null])).toEqual([
      ['2001..2003', true],
      ['2004..2006', true],
      ['2006..2011', true],
    ])
  })

  test('person-2: years alone, the present slug of two', () => {
    const record = personOf(payload('person-2'))

    expect(groupsOf(record).map(({ period }) => period)).toEqual(['2013..', '2011..2012'])
    expect(record.public_identifier).toBe(source('person-2').linkedin_shorthand_names[0])
    expect(record.network_info?.connections_count).toBe(500)
  })

  test('person-3: two current jobs in the order of the profile, a return merged, schools without years', () => {
    const record = personOf(payload('person-3'))

    expect(groupsOf(record).map(({ period }) => period)).toEqual([
      '2022-08..',
      '2023-01..',
      '2018-05..2022-08',
      '2020-05..2021-04',
      '2019-05..2019-09',
    ])
    expect(record.experience[2]?.positions.length).toBe(2)
    expect(record.education.map((item) => item.date_range)).toEqual([null, null])
    expect(record.honors.map((item) => periodOf(item.date_range))).toEqual(['2015-05..2015-05', null, null, null])
    expect(record.profile_photo_url).toBeNull()
  })

  test('company-1, clean: the present of two slugs, a picture that is no address, funding', () => {
    const record = companyOf(payload('company-1'))
    const raw = source('company-1').data

    expect(record.company_id).toBe(raw.linkedin_source_id)
    expect(raw.websites_linkedin_canonical.endsWith(`/${record.public_identifier}`)).toBe(true)
    expect(record.logo_url).toBeNull()
    expect(record.staff_info).toEqual({ staff_count: 69, staff_range: { start: 11, end: 50 } })
    expect(record.founded_on).toEqual({ year: 2021, month: null, day: null })
    expect(
      record.locations?.all_locations?.map((place) => [place.country, place.postal_code, place.is_headquarter]),
    ).toEqual([
      ['us', '33127', true],
      ['us', '94107', false],
    ])
    expect(record.locations?.headquarter).toEqual(record.locations?.all_locations?.[0])
    expect(record.funding_data).toMatchObject({
      num_of_funding_rounds: 4,
      last_funding_round: {
        money_raised: { amount: 210_000_000, currency: 'usd' },
        announced_on: { year: 2025, month: 8, day: 15 },
      },
    })
  })

  test('company-2, base: a thin record with a funding text', () => {
    const record = companyOf(payload('company-2'))

    expect(record.company_id).toBe(String(source('company-2').data.source_id))
    expect(record.staff_info).toEqual({ staff_count: null, staff_range: { start: 51, end: 200 } })
    expect(record.locations).toEqual({ headquarter: null, all_locations: [] })
    expect(record.specialities?.length).toBe(1)
    expect(record.funding_data).toMatchObject({
      num_of_funding_rounds: 1,
      last_funding_round: {
        money_raised: { amount: 15_000_000, currency: 'usd' },
        announced_on: { year: 2025, month: 8, day: 27 },
      },
    })
  })

  test('company-3, multi-source: no size, an address in one line, never funded', () => {
    const record = companyOf(payload('company-3'))

    expect(record.company_id).toBe(source('company-3').data.source_id)
    expect(record.staff_info).toEqual({ staff_count: 1, staff_range: null })
    expect(record.locations?.headquarter).toMatchObject({ country: 'fi', city: 'Oulu', postal_code: '90590' })
    expect(record.locations?.all_locations?.length).toBe(1)
    expect(record.funding_data).toEqual({ num_of_funding_rounds: 0, last_funding_round: null })
    expect(record.company_type).toBeNull()
    expect(record.industries).toEqual([])
  })
})
