import { expect, test } from 'vitest'
import { enrichlayer, enrichlayerDefaultUrl } from '../../../src/providers/enrichlayer/enrichlayer.ts'
import { company, plainCompany, publicCompany } from '../fixtures/enrichlayer.ts'
import { companyAt } from '../projected.ts'

const provider = enrichlayer({ url: enrichlayerDefaultUrl, key: 'secret-key' })
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const companyOf = (value: unknown) => companyAt(provider, bytes(value))

test('a company fills every field that Enrich Layer supplies', () => {
  const quay = {
    country: 'no',
    geographic_area: null,
    city: 'Bergen',
    postal_code: '5003',
    address_line1: 'Quay 1',
    is_headquarter: true,
  }
  const summary = { description: null, logo_url: null, followers_count: null, is_paid: null, entity_urn: null }

  expect(companyOf(company)).toEqual({
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
        money_raised: { amount: 6_000_000_000, currency: null },
        announced_on: { year: 2021, month: 5, day: 4 },
        lead_investors: null,
        num_of_other_investors: 5,
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

test('funding that was not requested is null; a company without rounds has zero of them', () => {
  expect(companyOf({ ...company, funding_data: null }).funding_data).toBeNull()
  expect(companyOf({ ...company, funding_data: [], extra: null }).funding_data).toEqual({
    num_of_funding_rounds: 0,
    last_funding_round: null,
  })
})

test('a company without extras has one place, its headquarters, and no funding', () => {
  const record = companyOf(plainCompany)

  expect(record.company_id).toBe('8700460')
  expect(record.company_type?.type_code).toBe('PRIVATELY_HELD')
  expect(record.staff_info).toEqual({ staff_count: 37, staff_range: { start: 51, end: 200 } })
  expect(record.locations?.headquarter).toMatchObject({ country: 'fi', city: 'Vaasa', is_headquarter: true })
  expect(record.locations?.all_locations).toEqual([record.locations?.headquarter])
  expect(record.founded_on?.year).toBe(2005)
  expect(record.funding_data).toBeNull()
  expect([record.showcase_pages, record.affiliated_companies]).toEqual([[], []])
})

test('a large company has an open bracket, and showcase pages separate from other affiliates', () => {
  const record = companyOf(publicCompany)

  expect(record.company_type?.type_code).toBe('PUBLIC_COMPANY')
  expect(record.staff_info).toEqual({ staff_count: 319_856, staff_range: { start: 10_001, end: null } })
  expect(record.locations?.all_locations?.map((place) => [place.country, place.is_headquarter])).toEqual([
    ['us', true],
    ['us', false],
  ])
  expect(record.founded_on).toBeNull()
  expect(record.showcase_pages?.map((page) => page.public_identifier)).toEqual(['gear-cloud'])
  expect(record.affiliated_companies?.map((page) => [page.public_identifier, page.is_showcase])).toEqual([
    ['gear-tube', false],
  ])
})

test('the headquarters is marked among all places, and is one of them even if no place is listed', () => {
  const [office] = plainCompany.locations
  const unflagged = companyOf({ ...plainCompany, locations: [{ ...office, is_hq: false, state: 'Vaasa' }] })
  const unlisted = companyOf({ ...plainCompany, locations: [] })

  expect(unflagged.locations?.all_locations).toMatchObject([{ city: 'Vaasa', is_headquarter: true }])
  expect(unlisted.locations?.all_locations).toEqual([unlisted.locations?.headquarter])
})

test('an amount that cannot be exact is null', () => {
  const [round] = company.funding_data
  const record = companyOf({ ...company, funding_data: [{ ...round, money_raised: 2 ** 53 }] })

  expect(record.funding_data?.last_funding_round?.money_raised).toBeNull()
})

test('lead investors are those that the provider marks, and all others are counted', () => {
  const round = (more: object) => ({ ...company, funding_data: [{ funding_type: 'Seed', ...more }] })
  const lastRound = (more: object) => companyOf(round(more)).funding_data?.last_funding_round
  const investors = [
    { name: 'Moon Capital', is_lead: true },
    { name: 'Tide Fund', type: 'organization' },
  ]

  expect(lastRound({ number_of_investor: 5, investor_list: investors })).toMatchObject({
    lead_investors: [{ name: 'Moon Capital' }],
    num_of_other_investors: 4,
  })
  expect(lastRound({ investor_list: investors.slice(1) })).toMatchObject({
    lead_investors: null,
    num_of_other_investors: 1,
  })
  expect(lastRound({ investor_list: [] })).toMatchObject({ lead_investors: [], num_of_other_investors: 0 })
})

test('the second line of an address follows the first', () => {
  const hq = { country: 'NO', city: 'Bergen', line_1: 'Quay 4', line_2: 'Second floor', is_hq: true }

  expect(companyOf({ ...company, hq, locations: [] }).locations?.headquarter?.address_line1).toBe(
    'Quay 4, Second floor',
  )
})
