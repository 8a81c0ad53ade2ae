import { describe, expect, test } from 'vitest'
import { coresignal, coresignalDefaultUrl } from '../../../src/providers/coresignal/coresignal.ts'
import {
  base,
  clean,
  cleanWithLocations,
  multiSource,
  smallMultiSource,
  thinBase,
} from '../fixtures/coresignal-companies.ts'
import { companyAt } from '../projected.ts'

const provider = coresignal({ url: coresignalDefaultUrl, key: 'secret-key' })
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const companyOf = (value: unknown) => companyAt(provider, bytes(value))

test('a company of the multi-source data set fills every field that it supplies', () => {
  const hq = {
    country: 'fi',
    geographic_area: 'Pohjoispohjanmaa',
    city: 'Oulu',
    postal_code: '90590',
    address_line1: 'Rock Road 10',
    is_headquarter: true,
  }
  const investor = { logo: null, investor_url: null }

  expect(companyOf(multiSource)).toEqual({
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

test('a company of the clean data set keeps its current slug, and no image data in place of a URL', () => {
  const record = companyOf(clean)

  expect(record).toMatchObject({
    company_id: '5550200',
    public_identifier: 'dust-and-daughters',
    company_type: { type_code: 'SELF_OWNED', type_name: 'Sole Proprietorship' },
    specialities: ['Dust', 'Fine dust'],
    staff_info: { staff_count: 204, staff_range: { start: 1, end: 1 } },
    followers_count: 19_009,
    founded_on: { year: 2021, month: null, day: null },
    company_url: 'https://dust.example',
    logo_url: null,
    affiliated_companies: null,
    funding_data: {
      num_of_funding_rounds: 4,
      last_funding_round: {
        money_raised: { amount: 210_000_000, currency: null },
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

test('a company of the base data set leaves out deleted data', () => {
  const { record, sourceUpdatedAt } = provider.project('companies', bytes(base))

  expect(record).toMatchObject({
    company_id: '5550201',
    public_identifier: 'grit',
    company_type: { type_code: 'NON_PROFIT' },
    specialities: ['Fine grit'],
    staff_info: { staff_count: null, staff_range: { start: 51, end: 200 } },
    locations: {
      headquarter: { country: 'pt', city: 'Porto', postal_code: '4050', address_line1: 'Quay 1, Floor 2' },
      all_locations: [{ city: 'Porto', is_headquarter: true }],
    },
    funding_data: {
      num_of_funding_rounds: 1,
      last_funding_round: { funding_type: 'Series A', money_raised: { amount: 391_500, currency: 'eur' } },
    },
    affiliated_companies: [{ public_identifier: 'sand', company_url: 'https://www.linkedin.com/company/sand' }],
  })
  expect(sourceUpdatedAt).toBe(Date.UTC(2026, 9, 21, 11, 58, 33))
})

describe('a company of Coresignal', () => {
  const flagged = { location_address: '3 Elm St; New Haven, Connecticut 06511, US', is_primary: 1, deleted: 0 }
  const project = (payload: object) => companyAt(provider, bytes({ source_id: '5550300', ...payload }))

  test.each([
    [
      'the state by its code',
      { name: 'Grit', headquarters_new_address: 'New Haven, CT', company_locations_collection: [flagged] },
    ],
    [
      'another state',
      {
        name: 'Grit',
        headquarters_state: 'Delaware',
        headquarters_country: 'United States',
        company_locations_collection: [flagged],
      },
    ],
    [
      'another state',
      {
        company_name: 'Grit',
        hq_state: 'Delaware',
        hq_city: 'Dover',
        hq_country: 'United States',
        company_locations_full: [flagged],
      },
    ],
    [
      'another state',
      {
        name: 'Grit',
        websites_main: 'grit.example',
        location_hq_raw_address: 'Dover, Delaware, United States',
        locations_full: [flagged],
      },
    ],
  ])('that states %s has its headquarters where the marked location is', (_, payload) => {
    const { locations } = project(payload)

    expect(locations?.headquarter).toMatchObject({
      geographic_area: 'Connecticut',
      city: 'New Haven',
      postal_code: '06511',
    })
    expect(locations?.all_locations).toEqual([locations?.headquarter])
  })

  test('counts an investor once, among the named or among the others', () => {
    const investor = (name: string) => ({ company_investors_list: { name }, deleted: 0 })
    const round = { last_round_type: 'Series A', last_round_investors_count: 3, deleted: 0 }
    const company = project({
      name: 'Grit',
      company_funding_rounds_collection: [round],
      company_featured_investors_collection: [investor('Quill Ventures'), investor('Quill Ventures')],
    })

    expect(company.funding_data?.last_funding_round).toMatchObject({
      lead_investors: [{ name: 'Quill Ventures' }],
      num_of_other_investors: 2,
    })
  })

  test.each(['Seed Round - Grit', 'Seed Round'])('names the type of its round without the company: %s', (name) => {
    const rounds = { funding_rounds: [{ name, announced_date: '2024-01-02' }] }
    expect(project({ company_name: 'Grit', ...rounds }).funding_data?.last_funding_round?.funding_type).toBe(
      'Seed Round',
    )
    const last = { last_funding_round_name: name, last_funding_round_announced_date: '2024-01-02' }
    expect(project({ company_name: 'Grit', ...last }).funding_data?.last_funding_round?.funding_type).toBe('Seed Round')
  })
})

test.each([multiSource, clean, base])("a company is the same inside a collector's envelope: $id", (company) => {
  const wrapped = { success: true, data: company, status_code: 200 }

  expect(provider.project('companies', bytes(wrapped))).toEqual(provider.project('companies', bytes(company)))
})

test('without a platform number a company has a derived key, the same for one slug', () => {
  const without = { ...multiSource, source_id: null }
  const { identity, record } = provider.project('companies', bytes(without))

  expect(identity).toMatchObject({ key: expect.stringMatching(/^vitae-[0-9a-f]{16}$/), derived: true })
  expect(provider.project('companies', bytes({ ...without, id: 1 })).identity.key).toBe(identity.key)
  expect(JSON.stringify(record)).not.toContain('700000002')
})

test('a clean record has its headquarters among its places, the current one of two slugs, and its last round', () => {
  const record = companyOf(cleanWithLocations)

  expect(record.public_identifier).toBe('dust-and-daughters')
  expect(record.staff_info).toEqual({ staff_count: 69, staff_range: { start: 11, end: 50 } })
  expect(
    record.locations?.all_locations?.map((place) => [place.country, place.postal_code, place.is_headquarter]),
  ).toEqual([
    ['pt', '33127', true],
    ['us', '94107', false],
  ])
  expect(record.locations?.headquarter).toEqual(record.locations?.all_locations?.[0])
})

test('a thin base record has the amount from a text', () => {
  const record = companyOf(thinBase)

  expect(record.company_id).toBe('108500006')
  expect(record.staff_info).toEqual({ staff_count: null, staff_range: { start: 51, end: 200 } })
  expect(record.locations).toEqual({ headquarter: null, all_locations: [] })
  expect(record.specialities).toEqual(['roof slates'])
  expect(record.funding_data).toMatchObject({
    num_of_funding_rounds: 1,
    last_funding_round: {
      money_raised: { amount: 15_000_000, currency: 'usd' },
      announced_on: { year: 2025, month: 8, day: 27 },
    },
  })
})

test('a small multi-source company has its address from one line, no size, and zero rounds', () => {
  const record = companyOf(smallMultiSource)

  expect(record.staff_info).toEqual({ staff_count: 1, staff_range: null })
  expect(record.locations?.headquarter).toMatchObject({ country: 'fi', city: 'Oulu', postal_code: '90590' })
  expect(record.locations?.all_locations).toEqual([record.locations?.headquarter])
  expect(record.funding_data).toEqual({ num_of_funding_rounds: 0, last_funding_round: null })
  expect([record.company_type, record.industries, record.logo_url]).toEqual([null, [], null])
})

test.each([
  ['1 Gracht; Amsterdam, North Holland 1017 CA, NL', 'nl', 'North Holland', 'Amsterdam', '1017 CA'],
  ['Dublin, Leinster D02 AF30, IE', 'ie', 'Leinster', 'Dublin', 'D02 AF30'],
  ['New York, New York 10011, US', 'us', 'New York', 'New York', '10011'],
  ['Singapore, SG', 'sg', null, 'Singapore', null],
  ['Evora, Alentejo, Portugal', 'pt', 'Alentejo', 'Evora', null],
])('the address %j is split into its fields', (address, country, area, city, code) => {
  const record = companyOf({ ...multiSource, company_locations_full: [{ location_address: address, is_primary: 0 }] })

  expect(record.locations?.all_locations?.at(-1)).toMatchObject({
    country,
    geographic_area: area,
    city,
    postal_code: code,
    is_headquarter: false,
  })
})

test('a city with only its region is not a street, and a place that is listed twice appears once', () => {
  const line = (location_address: string) => ({ location_address, is_primary: 0 })
  const locations = [line('Springfield, Illinois'), line('5 Mill Lane; Springfield, IL 62701, US')]
  const again = line('5 Mill Lane; Springfield, Illinois 62701, US')

  const { locations: places } = companyOf({ company_name: 'Quay', company_locations_full: [...locations, again] })

  expect(places?.all_locations).toMatchObject([
    { city: 'Springfield', geographic_area: 'Illinois', address_line1: null },
    { city: 'Springfield', geographic_area: 'IL', address_line1: '5 Mill Lane' },
  ])
})
