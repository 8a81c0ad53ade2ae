import type { Person } from '@vitae/contract'
import { describe, expect, test } from 'vitest'
import { peopledatalabs, peopledatalabsDefaultUrl } from '../../../src/providers/peopledatalabs/peopledatalabs.ts'
import { company, person } from '../fixtures/peopledatalabs.ts'
import { sandboxPerson } from '../fixtures/peopledatalabs-corners.ts'
import { personAt } from '../projected.ts'
import { groupsOf, periodOf } from '../shown.ts'

const provider = peopledatalabs({ url: peopledatalabsDefaultUrl, key: 'secret-key' })
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const personOf = (payload: Uint8Array): Person => personAt(provider, payload)

describe('a fictional profile', () => {
  test('is sorted: a current job comes before the ended primary one', () => {
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

  test('treats a primary job without dates as the current one', () => {
    const undated = { ...person, experience: [{ ...person.experience[1], start_date: null, end_date: null }] }

    expect(groupsOf(personOf(bytes(undated)))[0]?.period).toBe('..')
  })

  test('fills everything that People Data Labs supplies, with texts unchanged', () => {
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
      location: { name: 'funchal, madeira, portugal', city: 'funchal', country: 'Portugal', country_code: 'PT' },
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

  test("has schools, certificates and languages in the contract's shape", () => {
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
        description: 'Minors: oil',
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

  test('has no contact details if a small plan only says that there are some', () => {
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

  test('has an address with a city of the same name as its region', () => {
    const place = { location_locality: 'new york', location_region: 'new york', location_postal_code: '10001' }
    const { contact_info: contact, location } = personOf(
      bytes({ ...person, ...place, location_country: 'united states' }),
    )

    expect(contact?.address).toBe('1 quay, new york, new york, 10001, united states')
    expect(location).toMatchObject({ city: 'new york', country: 'United States', country_code: 'US' })
  })

  test('has no unreadable language level', () => {
    const languages = [5, '2', 7, 'fluent', null].map((proficiency) => ({ name: 'x', proficiency }))

    expect(personOf(bytes({ ...person, languages })).languages.map((item) => item.proficiency)).toEqual([
      'Native or bilingual proficiency',
      'Limited working proficiency',
      null,
      'fluent',
      null,
    ])
  })

  test('has a birth year if the day is unknown', () => {
    const { contact_info: contact } = personOf(bytes({ ...person, birth_date: null }))

    expect(contact?.birth_date).toEqual({ year: 1990, month: null, day: null, iso: '1990' })
  })

  test('is the same in its envelope', () => {
    const wrapped = { status: 200, likelihood: 9, data: person }

    expect(provider.project('people', bytes(wrapped))).toEqual(provider.project('people', bytes(person)))
  })
})

describe('a fictional profile of the sandbox', () => {
  const record = personOf(bytes(sandboxPerson))

  test("has no current job, even if one is called primary, and the platform's ids", () => {
    expect(record.experience.every((group) => group.date_range?.end !== null)).toBe(true)
    expect(new Set(record.experience.map((group) => group.company_id))).toEqual(
      new Set(sandboxPerson.experience.map((row) => row.company.linkedin_id)),
    )
    expect(record.experience[0]?.company_employee_count_range).toEqual({ start: 10_001, end: null })
  })

  test("has a derived key, because the platform's number is a word", () => {
    expect(record.member_urn).toMatch(/^urn:vitae:person:/)
    expect(record.public_identifier).toBe('mq49')
  })

  test('has the parts that the sandbox fills, and nothing of other people', () => {
    expect(record.location).toMatchObject({ city: 'pierton', country_code: 'CA' })
    expect(record.contact_info).toMatchObject({
      email_address: 'mq49@mail.example',
      phone_numbers: ['+1 202-555-0143', '+1 202-555-0144', '+1 202-555-0145'],
      birth_date: { iso: '1987-06-07' },
    })
    expect(record.education.map((item) => [item.school_id, item.grade])).toEqual([['90518737', '4.3']])
    expect(record.languages.map((item) => item.proficiency)).toEqual([
      'Elementary proficiency',
      'Native or bilingual proficiency',
      'Limited working proficiency',
    ])
    expect(record.certifications.length).toBe(2)
    expect(JSON.stringify(record)).not.toMatch(/someone\.else|another\.human|0199|1988/)
  })
})

test.each([[{}], [[]], ['text'], [{ id: 'vendor' }], [{ status: 404, error: { type: 'not_found', message: 'none' } }]])(
  'a payload that identifies nobody is refused: %j',
  (payload) => {
    expect(() => provider.project('people', bytes(payload))).toThrow(expect.objectContaining({ kind: 'invalid' }))
    expect(() => provider.project('companies', bytes(payload))).toThrow(expect.objectContaining({ kind: 'invalid' }))
  },
)

test('a company is not a person', () => {
  expect(() => provider.project('people', bytes(company))).toThrow(expect.objectContaining({ kind: 'invalid' }))
})
