import type { Company, Person } from '@vitae/contract'
import { describe, expect, test } from 'vitest'
import { peopledatalabs, peopledatalabsDefaultUrl } from '../../../src/providers/peopledatalabs/peopledatalabs.ts'
import { company, person } from '../fixtures/peopledatalabs.ts'
import { expectSturdy } from '../mutations.ts'
import { companyAt, personAt } from '../projected.ts'
import { expectDeclared, expectKnownPaths, expectLawful } from '../record-laws.ts'
import { askFor, scriptedSend } from '../scripted-send.ts'
import { kindOf, sharedPayloads } from '../shared-payloads.ts'
import { expectOneGroupPerCompany, groupsOf, periodOf } from '../shown.ts'

const provider = peopledatalabs({ url: peopledatalabsDefaultUrl, key: 'secret-key' })
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const real = sharedPayloads('peopledatalabs')
const personOf = (payload: Uint8Array): Person => personAt(provider, payload)
const companyOf = (payload: Uint8Array): Company => companyAt(provider, payload)

describe('a fictional profile', () => {
  test('is sorted: a job that goes on stands before the primary one that ended', () => {
    expect(groupsOf(personOf(bytes(person)))).toEqual([
      {
        name: 'the oil house',
        id: '4242',
        url: 'https://www.linkedin.com/company/oil-house',
        period: '2012..',
        positions: ['adviser 2020-01..', 'pourer 2012..2015-06'],
      },
      {
        name: 'lamp office',
        id: '4343',
        url: 'https://www.linkedin.com/company/lamp-office',
        period: '2019-11-24..2023-09-09',
        positions: ['keeper 2019-11-24..2023-09-09'],
      },
    ])
    expect(personOf(bytes(person)).experience.map((group) => group.company_employee_count_range)).toEqual([
      { start: 51, end: 200 },
      { start: 10_001, end: null },
    ])
  })

  test('takes a primary job without dates for the present one', () => {
    const undated = { ...person, experience: [{ ...person.experience[1], start_date: null, end_date: null }] }

    expect(groupsOf(personOf(bytes(undated)))[0]?.period).toBe('..')
  })

  test('fills everything that People Data Labs knows, texts as they are given', () => {
    const { record, identity, sourceUpdatedAt } = provider.project('people', bytes(person))

    expect(record).toMatchObject({
      member_urn: 'urn:li:member:16180339',
      public_identifier: 'ines-lantern',
      first_name: 'Ines',
      last_name: 'Lantern',
      headline: 'Keeps lamps',
      summary: 'Keeps.\nLamps.',
      industry: 'lighting',
      profile_photo_url: null,
      profile_url: 'https://www.linkedin.com/in/ines-lantern',
      location: { name: 'funchal, madeira, portugal', city: 'funchal', country: 'portugal', country_code: 'PT' },
      network_info: { followers_count: null, connections_count: 6311, custom_action: null },
      contact_info: {
        email_address: 'ines@mail.example',
        websites: [],
        twitter_handles: ['ineslamps'],
        phone_numbers: ['+351 1', '+351 2'],
        birth_date: { year: 1990, month: 2, day: 28, iso: '1990-02-28' },
        address: '1 quay, funchal, madeira, 9000, portugal',
      },
      skills: ['lamps', 'oil'],
      honors: [],
      volunteer_experiences: [],
    })
    expect(identity).toEqual({
      key: 'urn:li:member:16180339',
      derived: false,
      aliases: [
        { type: 'urn', value: 'urn:li:member:16180339' },
        { type: 'member', value: '16180339' },
        { type: 'slug', value: 'ines-lantern' },
        { type: 'peopledatalabs', value: 'qEnOZ5Oh0poWnQ1luFBfVw_0000' },
      ],
    })
    expect(sourceUpdatedAt).toBe(Date.UTC(2026, 8, 12))
    expect(JSON.stringify(record)).not.toMatch(/vendor|someone\.else/)
  })

  test('has schools, certificates and languages in the shape of the contract', () => {
    const { education, certifications, languages } = personOf(bytes(person))

    expect(education).toEqual([
      {
        school_name: 'school of light',
        school_id: '4444',
        school_url: 'https://www.linkedin.com/school/school-of-light',
        school_logo_url: null,
        company_id: '4444',
        degree: 'bachelors, bachelor of science',
        field_of_study: 'optics, wicks',
        grade: '3.9',
        activities: null,
        description: null,
        date_range: {
          start: { year: 2008, month: null, day: null, iso: '2008' },
          end: { year: 2012, month: 6, day: null, iso: '2012-06' },
        },
      },
    ])
    expect(certifications).toMatchObject([{ name: 'lamplighter', company: 'lamp guild' }])
    expect(periodOf(certifications[0]?.date_range)).toBe('2019-03..')
    expect(languages.map(({ name, proficiency }) => [name, proficiency])).toEqual([
      ['portuguese', 'Native or bilingual proficiency'],
      ['latin', null],
    ])
  })

  test('has no contact details where a small plan only says that there are some', () => {
    const masked = {
      ...person,
      recommended_personal_email: true,
      personal_emails: true,
      work_email: false,
      mobile_phone: true,
      phone_numbers: true,
      emails: true,
      birth_date: true,
      birth_year: true,
      location_street_address: true,
      twitter_username: null,
    }

    expect(personOf(bytes(masked)).contact_info).toBeNull()
  })

  test('has a birth year where the day is not known', () => {
    const { contact_info: contact } = personOf(bytes({ ...person, birth_date: null }))

    expect(contact?.birth_date).toEqual({ year: 1990, month: null, day: null, iso: '1990' })
  })

  test('is the same in its envelope', () => {
    const wrapped = { status: 200, likelihood: 9, data: person }

    expect(provider.project('people', bytes(wrapped))).toEqual(provider.project('people', bytes(person)))
  })
})

test('a fictional company fills everything that People Data Labs knows of one', () => {
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
    is_showcase: null,
    // What all rounds raised is not what the last one raised.
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

test('a company has all its places where the data set lists them', () => {
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

test('a company is the same beside the fields of its envelope', () => {
  const wrapped = { status: 200, likelihood: 9, ...company }

  expect(provider.project('companies', bytes(wrapped)).record).toEqual(
    provider.project('companies', bytes(company)).record,
  )
})

test.each([[{}], [[]], ['text'], [{ id: 'vendor' }], [{ status: 404, error: { type: 'not_found', message: 'none' } }]])(
  'a payload that names nobody is unusable: %j',
  (payload) => {
    expect(() => provider.project('people', bytes(payload))).toThrow(expect.objectContaining({ kind: 'invalid' }))
    expect(() => provider.project('companies', bytes(payload))).toThrow(expect.objectContaining({ kind: 'invalid' }))
  },
)

test('a company is no person', () => {
  expect(() => provider.project('people', bytes(company))).toThrow(expect.objectContaining({ kind: 'invalid' }))
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

  test('reads "no match" inside a 200', async () => {
    const { send } = scriptedSend({ body: { status: 404, error: { type: 'not_found' } } })

    expect((await provider.ask(askFor('people', 'slug', 'x'), send)).outcome).toBe('not_found')
  })
})

describe('payloads never seen before are mapped or refused', () => {
  const files = (kind: string) => [...real].filter(([file]) => kindOf(file) === kind).map(([, content]) => content)

  test('people', () => expectSturdy(provider, 'people', [bytes(person), ...files('people')]), 240_000)
  test('companies', () => expectSturdy(provider, 'companies', [bytes(company), ...files('companies')]), 240_000)
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
      expectLawful(kindOf(file), projection)
      expectDeclared(provider, kindOf(file), projection)
      if ('member_urn' in projection.record) expectOneGroupPerCompany(projection.record)
    }
  })

  test('person-1: sorted by later start, the primary job is not current, ids of the platform', () => {
    const record = personOf(payload('person-1'))
    const raw = source('person-1')

    expect(groupsOf(record).map(({ period }) => period)).toEqual([
      '2019-11-24..2021-09-09',
      '2019-11-13..2020-09-23',
      '2019-09-22..2021-11-20',
      '2019-04-16..2019-07-30',
    ])
    expect(record.experience.map((group) => group.company_id)).toEqual(
      raw.experience.map((row: { company: { linkedin_id: string } }) => row.company.linkedin_id),
    )
    expect(record.experience[0]?.company_employee_count_range).toEqual({ start: 10_001, end: null })
    expect(record.location.country_code).toBe('CA')
    expect(record.contact_info?.birth_date?.iso).toBe(raw.birth_date)
    expect(record.network_info?.connections_count).toBe(6311)
    expect(record.education.map((item) => item.school_id)).toEqual(
      raw.education.map((row: { school: { linkedin_id: string } }) => row.school.linkedin_id),
    )
    expect([record.certifications.length, record.languages.length, record.skills.length]).toEqual([3, 4, 2])
    // The sandbox has words where the platform's numbers would be, so the key is derived.
    expect(record.member_urn).toMatch(/^urn:vitae:person:/)
  })

  test('company-1: size, place and the stage, but not the sum, of the last round', () => {
    const record = companyOf(payload('company-1'))

    expect(record.company_id).toBe(source('company-1').linkedin_id)
    expect(record.company_type?.type_code).toBe('PRIVATELY_HELD')
    expect(record.staff_info).toEqual({ staff_count: 85, staff_range: { start: 51, end: 200 } })
    expect(record.locations?.headquarter).toMatchObject({ country: 'us', postal_code: '94105', is_headquarter: true })
    expect(record.founded_on).toEqual({ year: 2015, month: null, day: null })
    expect(record.specialities?.length).toBe(10)
    expect(record.funding_data).toMatchObject({
      num_of_funding_rounds: 7,
      last_funding_round: { money_raised: null, announced_on: { year: 2021, month: 11, day: 16 } },
    })
    expect(record.affiliated_companies).toEqual([])
  })
})
