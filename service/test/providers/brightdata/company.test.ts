import { expect, test } from 'vitest'
import { brightdata, brightdataDefaultUrl } from '../../../src/providers/brightdata/brightdata.ts'
import { company } from '../fixtures/brightdata.ts'
import { listedCompany, tinyCompany } from '../fixtures/brightdata-corners.ts'
import { companyAt } from '../projected.ts'

const provider = brightdata({ url: brightdataDefaultUrl, key: 'secret-key' })
const companyOf = (payload: unknown) => companyAt(provider, new TextEncoder().encode(JSON.stringify(payload)))

test('a fictional company fills everything that Bright Data supplies', () => {
  const summary = { entity_urn: null, description: null, logo_url: null, followers_count: null, is_paid: null }
  const place = { geographic_area: null, city: null, postal_code: null, address_line1: null, is_headquarter: false }
  const porto = {
    country: 'pt',
    geographic_area: 'Norte',
    city: 'Porto',
    postal_code: '4050-297',
    address_line1: 'Quay 9, Floor 2',
    is_headquarter: true,
  }

  expect(companyOf([company])).toEqual({
    company_id: '16180339',
    public_identifier: 'rope-works',
    company_name: 'Rope Works',
    tagline: 'Hold on',
    description: 'Ropes & lines.',
    company_type: { type_code: 'PRIVATELY_HELD', type_name: 'Privately Held' },
    locations: {
      headquarter: porto,
      all_locations: [
        porto,
        { ...place, country: 'es', city: 'Vigo', postal_code: '36201' },
        { ...place, country: 'sg' },
      ],
    },
    industries: [{ id: null, name: 'Rope, Line and Twine' }],
    specialities: ['Rope', 'Line', 'Twine and String', 'Research and Development'],
    staff_info: { staff_count: 254, staff_range: { start: 5001, end: 10_000 } },
    followers_count: 1557,
    founded_on: { year: 1851, month: null, day: null },
    platform_url: 'https://www.linkedin.com/company/rope-works',
    company_url: 'https://rope.example/',
    logo_url: 'https://media.example/logo.png',
    background_photo_url: null,
    cover_image_url: 'https://media.example/cover.png',
    call_to_action: null,
    phone_number: null,
    auto_generated: null,
    claimable: null,
    is_paid: null,
    is_showcase: false,
    funding_data: {
      num_of_funding_rounds: 4,
      last_funding_round: {
        funding_type: 'Series D',
        money_raised: { amount: 391_500, currency: 'usd' },
        announced_on: { year: 2019, month: 7, day: 10 },
        lead_investors: null,
        num_of_other_investors: null,
        round_url: null,
      },
    },
    showcase_pages: [
      {
        ...summary,
        company_name: 'Rope Works Deep Sea',
        public_identifier: 'rope-works-deep-sea',
        company_url: 'https://www.linkedin.com/showcase/rope-works-deep-sea',
        industries: [],
        is_showcase: true,
      },
    ],
    affiliated_companies: [
      {
        ...summary,
        company_name: 'Twine Works',
        public_identifier: 'twine-works',
        company_url: 'https://www.linkedin.com/company/twine-works',
        industries: [{ id: null, name: 'Twine' }],
        is_showcase: false,
      },
    ],
  })
})

test('the headquarters line is the only address if a company has none', () => {
  const record = companyOf({ id: 'x', headquarters: 'Chicago, IL', country_code: 'US' })

  expect(record.locations?.headquarter).toMatchObject({ country: 'us', geographic_area: 'IL', city: 'Chicago' })
  expect(record.locations?.all_locations).toEqual([record.locations?.headquarter])
})

test.each([
  ['a listed company', listedCompany, 'PUBLIC_COMPANY', { start: 10_001, end: null }, 2015, [1, 1]],
  ["one person's company", tinyCompany, 'SELF_OWNED', { start: 1, end: 1 }, undefined, [0, 0]],
])('%s: type, size, founding, pages', (_, payload, type, range, year, pages) => {
  const record = companyOf(payload)

  expect(record.company_id).toBe(payload.company_id)
  expect(record.company_type?.type_code).toBe(type)
  expect(record.staff_info).toEqual({ staff_count: payload.employees_in_linkedin, staff_range: range })
  expect(record.founded_on?.year).toBe(year)
  expect([record.showcase_pages?.length, record.affiliated_companies?.length]).toEqual(pages)
  expect(record.industries).toEqual([{ id: null, name: payload.industries }])
})

test('an address line is split, with an area or with a country in its place', () => {
  expect(companyOf(listedCompany).locations?.headquarter).toEqual({
    country: 'us',
    geographic_area: 'MA',
    city: 'Boston',
    postal_code: '02110',
    address_line1: '20 E. Pier St., Suite 7',
    is_headquarter: true,
  })
  expect(companyOf(tinyCompany).locations?.headquarter).toEqual({
    country: 'il',
    geographic_area: null,
    city: 'Haifa',
    postal_code: '4942161',
    address_line1: 'Hadar 37',
    is_headquarter: true,
  })
})

test.each([
  ['two parts', 'Chicago, US', ['Chicago', null]],
  ['three parts', 'Netanya, Center District, IL', ['Netanya', 'Center District']],
  ['a city of the name of its region', 'New York, New York 10001, US', ['New York', 'New York']],
  ['a city that is a country', 'Singapore 018956, SG', ['Singapore', null]],
])('an address of %s lands in the right fields', (_, line, place) => {
  const { headquarter } = companyOf({
    ...tinyCompany,
    country_code: null,
    headquarters: null,
    formatted_locations: [line],
  }).locations ?? { headquarter: null }

  expect([headquarter?.city, headquarter?.geographic_area]).toEqual(place)
})

test('without commas, the city of the headquarters is found at the end of the street', () => {
  const { locations } = companyOf({ ...listedCompany, formatted_locations: [] })

  expect(locations?.headquarter).toMatchObject({
    address_line1: '20 E. Pier St. Suite 7',
    city: 'Boston',
    geographic_area: 'MA',
    postal_code: '02110',
  })
})

test('the headquarters is the office in its city and marked in both fields', () => {
  const formatted_locations = ['1 Road, Denver, CO 80014, US', '20 E. Pier St., Boston, MA 02110, US']
  const { locations } = companyOf({ ...listedCompany, formatted_locations })

  expect(locations?.headquarter?.city).toBe('Boston')
  expect(locations?.all_locations?.map((one) => [one.city, one.is_headquarter])).toEqual([
    ['Denver', false],
    ['Boston', true],
  ])
})

test.each(['US', 'US,DE,IN'])(
  'the town of the headquarters line is never the state after it, in %s',
  (country_code) => {
    const lines = [
      'Harrow Machines Corp., Orchard Road Armonk, New York, NY 10504, US',
      'Orchard Road, Armonk, New York, NY 10504, US',
      'Orchard Road Armonk, New York 10504-1722, US',
    ]
    for (const line of lines) {
      const raw = { id: 'harrow', name: 'Harrow', headquarters: 'Armonk, New York, NY', country_code }
      const company = companyOf({ ...raw, formatted_locations: [line, '5 Quay St, New York, NY 10022, US'] })
      expect(company.locations?.headquarter).toMatchObject({ city: 'Armonk', country: 'us', is_headquarter: true })
      expect(company.locations?.headquarter?.address_line1).toMatch(/Orchard Road$/)
      expect(company.locations?.all_locations?.map(({ city }) => city)).toEqual(['Armonk', 'New York'])
    }
  },
)

test('an amount beyond 2^53 and an unnamed currency are null', () => {
  const raised = (last_round_raised: string) =>
    companyOf({ ...listedCompany, funding: { ...listedCompany.funding, last_round_raised } }).funding_data
      ?.last_funding_round?.money_raised

  expect(raised('US$ 9,223,372,036,854,775,807')).toBeNull()
  expect(raised('20.0M')).toEqual({ amount: 20_000_000, currency: null })
})

test('a listed company has funding, a tiny one has none, and a placeholder is not a picture', () => {
  expect(companyOf(listedCompany).funding_data).toMatchObject({
    num_of_funding_rounds: 1,
    last_funding_round: {
      funding_type: 'Post IPO equity',
      money_raised: { amount: 20_000_000, currency: 'usd' },
      announced_on: { year: 2019, month: 7, day: 10 },
    },
  })
  expect(companyOf(tinyCompany).funding_data).toBeNull()
  expect(companyOf(tinyCompany).cover_image_url).toBeNull()
})

test('specialities are split at commas, and a text without a comma is one', () => {
  expect(companyOf(listedCompany).specialities).toEqual(['Food', 'Fast Moving Packaged Goods', 'FMG', 'Packaged Goods'])
  expect(companyOf(tinyCompany).specialities).toEqual(['Collecting and tying of knots and Competitive Splicing'])
})

test('the slug of an affiliated page keeps its apostrophe', () => {
  expect(companyOf(listedCompany).affiliated_companies).toMatchObject([
    { public_identifier: "wharf's---a-pier-company", is_showcase: false },
  ])
})

test('a line with the name and the code of a state has its town, and a place is listed once', () => {
  const { locations } = companyOf({
    id: 'quay-works',
    name: 'Quay Works',
    country_code: 'US',
    headquarters: 'Springfield, IL',
    formatted_locations: [
      '5 Mill Lane, Springfield, Illinois, IL 62701, US',
      '5 Mill Lane, Springfield, IL 62701, US',
      'Harbour Annex Springfield, Illinois 62701, US',
      'Chicago, Illinois, US',
    ],
  })

  const shown = locations?.all_locations?.map((one) => [one.address_line1, one.city, one.geographic_area])
  expect(shown).toEqual([
    ['5 Mill Lane', 'Springfield', 'IL'],
    ['Harbour Annex', 'Springfield', 'Illinois'],
    [null, 'Chicago', 'Illinois'],
  ])
  expect(locations?.headquarter).toMatchObject({ address_line1: '5 Mill Lane', is_headquarter: true })
})
