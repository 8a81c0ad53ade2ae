import { expect, test } from 'vitest'
import { harvestapi, harvestapiDefaultUrl } from '../../../src/providers/harvestapi/harvestapi.ts'
import { company, publicCompany } from '../fixtures/harvestapi.ts'
import { companyAt } from '../projected.ts'

const provider = harvestapi({ url: harvestapiDefaultUrl, key: 'secret-key' })
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const companyOf = (value: unknown) => companyAt(provider, bytes(value))

test('a company fills every field that HarvestAPI supplies', () => {
  const place = { country: null, geographic_area: null, city: null, postal_code: null, address_line1: null }
  const bergen = {
    ...place,
    country: 'no',
    city: 'Bergen',
    postal_code: '5003',
    address_line1: 'Pier 4',
    is_headquarter: false,
  }
  const oban = { ...place, country: 'gb', geographic_area: 'Scotland', city: 'Oban', is_headquarter: true }

  expect(companyOf({ element: company })).toEqual({
    company_id: '7700',
    public_identifier: 'north-light',
    company_name: 'North Light AS',
    tagline: null,
    description: 'Lights.',
    company_type: { type_code: 'SELF_OWNED', type_name: 'Sole Proprietorship' },
    locations: { headquarter: oban, all_locations: [bergen, oban] },
    industries: [
      { id: '96', name: 'Maritime' },
      { id: null, name: 'Optics' },
      { id: '3131', name: 'Fog' },
    ],
    specialities: ['Lamps'],
    staff_info: { staff_count: 61, staff_range: { start: 11, end: 50 } },
    followers_count: 5,
    founded_on: { year: 1188, month: null, day: null },
    platform_url: 'https://www.linkedin.com/showcase/north-light',
    company_url: 'northlight.example',
    logo_url: 'https://media.example/logo.png',
    background_photo_url: 'https://media.example/cover.png',
    cover_image_url: null,
    call_to_action: { text: null, url: 'https://northlight.example/visit' },
    phone_number: '+47 555 0100',
    auto_generated: false,
    claimable: null,
    is_paid: null,
    is_showcase: true,
    funding_data: {
      num_of_funding_rounds: 2,
      last_funding_round: {
        funding_type: 'SERIES_B',
        money_raised: { amount: 5_000_000_000, currency: 'nok' },
        announced_on: { year: 2024, month: 8, day: 1 },
        lead_investors: [{ name: 'Foghorn Capital', logo: null, investor_url: 'https://fund.example/foghorn' }],
        num_of_other_investors: 3,
        round_url: 'https://fund.example/round',
      },
    },
    showcase_pages: null,
    affiliated_companies: null,
  })
})

test('a company without lists has empty ones if HarvestAPI supplies them and null otherwise', () => {
  const record = companyOf({ id: '1', name: 'Bare' })

  expect(record).toMatchObject({
    locations: { headquarter: null, all_locations: [] },
    industries: [],
    specialities: [],
    funding_data: null,
    showcase_pages: null,
    affiliated_companies: null,
  })
})

test('a large company has an open bracket, one headquarters among its places, and the amount of its last round', () => {
  const record = companyOf(publicCompany)

  expect(record.platform_url).toBe('https://www.linkedin.com/company/reel-and-sons')
  expect(record.company_type).toEqual({ type_code: 'PUBLIC_COMPANY', type_name: 'Public Company' })
  expect(record.staff_info).toEqual({ staff_count: 16_985, staff_range: { start: 10_001, end: null } })
  expect(record.locations?.all_locations?.map(({ country, city }) => [country, city])).toEqual([
    ['us', 'Los Robles'],
    ['br', 'Barueri'],
    ['us', 'New York'],
  ])
  expect(record.locations?.headquarter).toEqual(record.locations?.all_locations?.[0])
  expect(record.industries).toEqual([{ id: null, name: 'Entertainment Providers' }])
  expect(record.founded_on).toEqual({ year: 1997, month: null, day: null })
  expect(record.funding_data).toMatchObject({
    num_of_funding_rounds: 15,
    last_funding_round: {
      money_raised: { amount: 1_800_000_000, currency: 'usd' },
      announced_on: { year: 2024, month: 8, day: 1 },
      lead_investors: [],
      num_of_other_investors: 0,
    },
  })
})

test('an industry whose id is a sentence has no id', () => {
  const { industries } = companyOf({ ...company, industries: [{ id: 'not an id', name: 'Fog' }] })

  expect(industries).toEqual([{ id: null, name: 'Fog' }])
})
