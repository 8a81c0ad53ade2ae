import type { Company } from '@vitae/contract'
import { describe, expect, test } from 'vitest'
import { peopledatalabs, peopledatalabsDefaultUrl } from '../../../src/providers/peopledatalabs/peopledatalabs.ts'
import { company } from '../fixtures/peopledatalabs.ts'
import { privateCompany } from '../fixtures/peopledatalabs-corners.ts'
import { companyAt } from '../projected.ts'
import { askFor, scriptedSend } from '../scripted-send.ts'

const provider = peopledatalabs({ url: peopledatalabsDefaultUrl, key: 'secret-key' })
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const companyOf = (payload: Uint8Array): Company => companyAt(provider, payload)

test('a fictional company fills everything that People Data Labs supplies', () => {
  const place = {
    country: 'pt',
    geographic_area: 'madeira',
    city: 'funchal',
    postal_code: '9000',
    address_line1: '1 quay, floor 2',
    is_headquarter: true,
  }

  expect(companyOf(bytes(company))).toEqual({
    company_id: '4343',
    public_identifier: 'lamp-office',
    company_name: 'Lamp Office',
    tagline: 'Light',
    description: 'keeps lamps.',
    company_type: { type_code: 'PUBLIC_COMPANY', type_name: 'Public Company' },
    locations: { headquarter: place, all_locations: [place] },
    industries: [{ id: null, name: 'lighting and lamps' }],
    specialities: ['lamps', 'oil'],
    staff_info: { staff_count: 85, staff_range: { start: 10_001, end: null } },
    followers_count: 7342,
    founded_on: { year: 1815, month: null, day: null },
    platform_url: 'https://www.linkedin.com/company/lamp-office',
    company_url: 'lamp.example',
    logo_url: null,
    background_photo_url: null,
    cover_image_url: null,
    call_to_action: null,
    phone_number: null,
    auto_generated: null,
    claimable: null,
    is_paid: null,
    is_showcase: false,
    // The sum of all rounds is not the amount of the last one.
    funding_data: {
      num_of_funding_rounds: 7,
      last_funding_round: {
        funding_type: 'series_b',
        money_raised: null,
        announced_on: { year: 2021, month: 11, day: 16 },
        lead_investors: null,
        num_of_other_investors: null,
        round_url: null,
      },
    },
    showcase_pages: null,
    affiliated_companies: [
      {
        company_name: null,
        public_identifier: 'oil-house',
        entity_urn: null,
        company_url: 'https://www.linkedin.com/company/oil-house',
        description: null,
        logo_url: null,
        followers_count: null,
        industries: null,
        is_paid: null,
        is_showcase: null,
      },
    ],
  })
})

test('a company has all its places if the data set lists them', () => {
  const second = { ...company.location, locality: 'porto', is_primary: false }
  const record = companyOf(
    bytes({ ...company, location: null, locations: [second, { ...company.location, is_primary: true }] }),
  )

  expect(record.locations?.all_locations?.map(({ city, is_headquarter: isHq }) => [city, isHq])).toEqual([
    ['porto', false],
    ['funchal', true],
  ])
  expect(record.locations?.headquarter?.city).toBe('funchal')
})

test.each([
  ['flagged where the list has it', [{ ...company.location, is_primary: null }], ['funchal']],
  ['added where the list lacks it', [{ ...company.location, locality: 'porto', is_primary: false }], ['funchal']],
])('the headquarters of a company is %s', (_, locations, flagged) => {
  const { headquarter, all_locations: all } = companyOf(bytes({ ...company, locations })).locations ?? {}

  expect(headquarter).toMatchObject({ city: 'funchal', is_headquarter: true })
  expect(all?.filter((one) => one.is_headquarter).map((one) => one.city)).toEqual(flagged)
})

test.each([
  ['linkedin.com/showcase/lamp-deep/', 'https://www.linkedin.com/showcase/lamp-deep', true],
  ['linkedin.com/school/lamp-school/', 'https://www.linkedin.com/school/lamp-school', false],
  [null, 'https://www.linkedin.com/company/lamp-office', null],
])('the page %s has one form', (linkedin_url, page, isShowcase) => {
  const record = companyOf(bytes({ ...company, linkedin_url }))

  expect([record.platform_url, record.is_showcase]).toEqual([page, isShowcase])
})

test('a company is the same beside the fields of its envelope', () => {
  const wrapped = { status: 200, likelihood: 9, ...company }

  expect(provider.project('companies', bytes(wrapped)).record).toEqual(
    provider.project('companies', bytes(company)).record,
  )
})

test('a private company: size, place and the stage, but not the sum, of the last round', () => {
  const record = companyOf(bytes(privateCompany))

  expect(record.company_type?.type_code).toBe('PRIVATELY_HELD')
  expect(record.staff_info).toEqual({ staff_count: 85, staff_range: { start: 51, end: 200 } })
  expect(record.locations?.headquarter).toEqual({
    country: 'us',
    geographic_area: 'california',
    city: 'san francisco',
    postal_code: '94105',
    address_line1: '45 pier street, suite 16',
    is_headquarter: true,
  })
  expect(record.specialities).toEqual(['piers', 'data and analytics', 'software'])
  expect(record.funding_data).toMatchObject({
    num_of_funding_rounds: 7,
    last_funding_round: { money_raised: null, announced_on: { year: 2021, month: 11, day: 16 } },
  })
  expect(record.affiliated_companies).toEqual([])
})

describe('an ask', () => {
  test.each([
    ['people', 'slug', 'ines-lantern', '/v5/person/enrich?profile=linkedin.com%2Fin%2Fines-lantern&titlecase=true'],
    ['people', 'id', '16180339', '/v5/person/enrich?lid=16180339&titlecase=true'],
    [
      'companies',
      'slug',
      'lamp-office',
      '/v5/company/enrich?profile=linkedin.com%2Fcompany%2Flamp-office&titlecase=true',
    ],
    ['companies', 'id', '4343', '/v5/company/enrich?profile=linkedin.com%2Fcompany%2F4343&titlecase=true'],
  ] as const)(
    'for %s by %s asks for names as they are written, the key in a header',
    async (kind, type, value, path) => {
      const { send, requests } = scriptedSend({ body: { status: 200 }, headers: { 'x-call-credits-spent': '1' } })

      const verdict = await provider.ask(askFor(kind, type, value), send)

      expect(verdict).toMatchObject({ outcome: 'found', cost: 1 })
      expect(requests.map(({ url }) => url.href)).toEqual([`${peopledatalabsDefaultUrl}${path}`])
      expect(requests[0]?.headers['x-api-key']).toBe('secret-key')
    },
  )

  test('recognises "no match" inside a 200', async () => {
    const { send } = scriptedSend({ body: { status: 404, error: { type: 'not_found' } } })

    expect((await provider.ask(askFor('people', 'slug', 'x'), send)).outcome).toBe('not_found')
  })
})
