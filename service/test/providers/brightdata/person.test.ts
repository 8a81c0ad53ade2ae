import { describe, expect, test } from 'vitest'
import { brightdata, brightdataDefaultUrl } from '../../../src/providers/brightdata/brightdata.ts'
import { busyPerson } from '../fixtures/brightdata-corners.ts'
import { person } from '../fixtures/brightdata.ts'

const provider = brightdata({ url: brightdataDefaultUrl, key: 'secret-key' })
const bytes = (value: unknown) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))

function projectPerson(payload: Uint8Array) {
  const { record, ...rest } = provider.project('people', payload)
  if (!('member_urn' in record)) throw new Error('not a person')
  return { record, ...rest }
}

describe('a fictional profile', () => {
  test('has rows of both shapes in one group per company, current first', () => {
    const { experience } = projectPerson(bytes(person)).record

    const shown = experience.map((group) => ({
      name: group.company_name,
      url: group.company_url,
      logo: group.company_logo_url,
      span: [group.date_range?.start?.iso, group.date_range?.end?.iso],
      positions: group.positions.map(({ title, location_name: place, date_range: range }) => [
        title,
        place,
        range?.start?.iso,
        range?.end?.iso,
      ]),
    }))
    expect(shown).toEqual([
      {
        name: 'Rope Works',
        url: 'https://www.linkedin.com/company/rope-works',
        logo: 'https://media.example/rope.png',
        span: ['2019-08', undefined],
        positions: [['Rope walker', null, '2019-08', undefined]],
      },
      {
        name: 'Boat without a page',
        url: null,
        logo: null,
        span: ['2020', undefined],
        positions: [['Sailor', null, '2020', undefined]],
      },
      {
        name: 'The Harbour Office',
        url: 'https://www.linkedin.com/company/harbour-office',
        logo: 'https://media.example/harbour.png',
        span: ['2012', '2019-07'],
        positions: [
          ['Chief pilot', null, '2017-02', '2019-07'],
          ['Pilot', 'Lisbon', '2014-01', '2015-07'],
          ['Clerk', 'Faro', '2012', '2014-01'],
        ],
      },
    ])
    expect(experience.map((group) => group.company_id)).toEqual([
      expect.stringMatching(/^vitae-/),
      null,
      expect.stringMatching(/^vitae-/),
    ])
  })

  test('is plain text with the lines of the page', () => {
    const { record } = projectPerson(bytes(person))

    expect(record.headline).toBe('Ships & ropes')
    expect(record.summary).toBe("Ropes.\n\nIt's <all> ropes.")
    expect(record.experience[0]?.positions[0]?.description).toBe('Walks.\nRopes.')
  })

  test('fills everything that Bright Data knows', () => {
    const { record, identity, sourceUpdatedAt } = projectPerson(bytes(person))

    expect(record).toMatchObject({
      member_urn: 'urn:li:member:31415926',
      entity_urn: 'urn:vitae:profile:31415926',
      public_identifier: 'bo-harbour',
      first_name: 'Bo',
      last_name: 'van der Harbour',
      profile_photo_url: 'https://media.example/bo.jpg',
      background_photo_url: null,
      profile_url: 'https://www.linkedin.com/in/bo-harbour',
      location: { name: 'Porto, Portugal', city: 'Porto', country: 'Portugal', country_code: 'PT' },
      network_info: { followers_count: 680, connections_count: 500, custom_action: null },
      verifications: null,
      contact_info: null,
      skills: [],
    })
    expect(record.education).toMatchObject([
      {
        school_name: 'School of Knots',
        school_id: expect.stringMatching(/^vitae-/),
        school_url: 'https://www.linkedin.com/school/school-of-knots',
        school_logo_url: 'https://media.example/knots.png',
        degree: 'BSc',
        field_of_study: 'Knots',
        grade: '17/20',
        activities: 'Bowline Club',
        description: 'Tied a lot.',
        date_range: { start: { iso: '1999' }, end: { iso: '2003' } },
      },
      { school_name: 'Lakeside', date_range: null },
    ])
    expect(identity).toEqual({
      key: 'urn:li:member:31415926',
      derived: false,
      aliases: [
        { type: 'urn', value: 'urn:li:member:31415926' },
        { type: 'member', value: '31415926' },
        { type: 'slug', value: 'bo-harbour' },
      ],
    })
    expect(sourceUpdatedAt).toBe(Date.UTC(2025, 11, 22, 16, 16, 42, 901))
  })

  test('has its sections in the one shape, and no precision that the page has not', () => {
    const { record } = projectPerson(bytes(person))
    const dates = (items: typeof record.honors) =>
      items.map(({ name, company: by, date_range: range }) => [name, by, range?.start?.iso, range?.end?.iso])

    expect(dates(record.certifications)).toEqual([['Master of Knots', 'Knot Guild', '2017-10', undefined]])
    expect(dates(record.honors)).toEqual([
      ['Best Splice', 'Splicers', '2018-10', '2018-10'],
      ['Old Hand', null, '2013', '2013'],
    ])
    expect(dates(record.publications)).toEqual([['Hitch', 'Rope Monthly', '2020-05-28', '2020-05-28']])
    expect(record.organizations).toMatchObject([
      { name: 'Rope Society', position_held: 'Treasurer', date_range: { end: null } },
    ])
    expect(record.languages.map(({ name, proficiency }) => [name, proficiency])).toEqual([
      ['Portuguese', 'Native'],
      ['Danish', null],
    ])
    expect(record.volunteer_experiences).toMatchObject([
      { name: 'Crew', company: 'Lifeboat', position_held: 'Crew', description: 'Rowed.', url: null },
    ])
    expect(record.certifications[0]?.url).toBe('https://knots.example/1')
  })

  test('is the same bare, in a list, and one per line', () => {
    const { record } = provider.project('people', bytes(person))
    const other = { error: 'x', error_code: 'timeout' }

    expect(provider.project('people', bytes([person])).record).toEqual(record)
    expect(provider.project('people', bytes(`${JSON.stringify(other)}\n${JSON.stringify(person)}\n`)).record).toEqual(
      record,
    )
  })

  test('has no place that is the label of a button, and no city that is an area', () => {
    const at = (city: string, more: object = {}) =>
      projectPerson(bytes({ ...person, location: null, country_code: null, city, ...more })).record.location

    expect(at('Contact Info')).toEqual({ name: null, city: null, country: null, country_code: null })
    expect(at('Porto Metropolitan Area', { country_code: 'PT,ES' })).toMatchObject({ city: null, country_code: 'PT' })
    expect(at('Singapore')).toEqual({ name: 'Singapore', city: 'Singapore', country: 'Singapore', country_code: 'SG' })
    expect(at('Portugal')).toMatchObject({ city: null, country_code: 'PT' })
    expect(at('New York, New York, United States')).toMatchObject({ city: 'New York', country_code: 'US' })
    expect(at('Vigo, Galicia, Spain')).toEqual({
      name: 'Vigo, Galicia, Spain',
      city: 'Vigo',
      country: 'Spain',
      country_code: 'ES',
    })
  })
})

describe('a fictional profile with many jobs', () => {
  const { record } = projectPerson(bytes(busyPerson))
  const { experience } = record

  test('has one group for a company that is a row and, years later, a group', () => {
    expect(busyPerson.experience.length).toBe(9)
    expect(experience.length).toBe(8)
    const group = experience.find((one) => one.company_url === 'https://www.linkedin.com/company/quay-care-inc-')
    expect(group?.company_name).toBe('Quay Care')
    expect([group?.date_range?.start?.iso, group?.date_range?.end?.iso]).toEqual(['2015-01', '2022-01'])
    expect(group?.positions.map((one) => [one.title, one.date_range?.end?.iso, one.location_name])).toEqual([
      ['Adviser', '2022-01', 'Bergen'],
      ['Interim director', '2021-03', 'Bergen'],
      ['Director', '2019-08', null],
    ])
    expect(group?.positions[2]?.description).toBe('Grew:\n\n- one\n- two')
  })

  test('has its five current jobs before the past ones', () => {
    expect(experience.map((group) => group.date_range?.end === null)).toEqual([
      ...Array(5).fill(true),
      ...Array(3).fill(false),
    ])
    expect(experience.map((group) => group.company_url)).toContain('https://www.linkedin.com/company/fjord-%26-fund')
    expect(experience.at(-1)).toMatchObject({
      company_url: 'https://www.linkedin.com/company/old-harbour',
      date_range: { start: { iso: '2003', month: null }, end: { iso: '2004', month: null } },
    })
  })

  test('has the lines of the page, counts as given and no city that is an area', () => {
    expect(record.summary).toBe("Ten years of harbours.\n\nThen I wrote.\n\nIt's a start.\nMore soon.")
    expect(record.network_info).toMatchObject({ followers_count: 36_767_145, connections_count: 8 })
    expect(record.location).toEqual({
      name: 'Oslo Metropolitan Area',
      city: null,
      country: 'Norway',
      country_code: 'NO',
    })
    expect(record.education).toMatchObject([
      { activities: 'Rowing, Tutor', description: null, degree: null },
      { school_name: 'Lakeside School', date_range: null },
    ])
    expect(record.publications.map((item) => item.date_range?.start?.iso)).toEqual(['2020-05-28', '2019-12-31'])
    expect(record.honors).toEqual([])
  })

  test('keeps numbers and ids in descriptions, and no number is a company', () => {
    const shown = (items: typeof record.courses) => items.map((item) => [item.name, item.company, item.description])

    expect(shown(record.courses)).toEqual([
      ['Tides', null, 'Course number: OCE 101'],
      ['Currents', 'Harbour College', null],
      ['Waves', null, null],
    ])
    expect(shown(record.certifications)).toEqual([
      ['Pilot', 'Harbour Guild', null],
      ['Master pilot', 'Harbour Guild', 'Credential ID: HG-77 B'],
    ])
    expect(shown(record.patents)).toEqual([['Folding pier', null, 'Folds.\nPatent number: NO 7,654,321']])
    expect(shown(record.organizations)).toEqual([['Pier Society', null, 'Membership number: PS 12']])
    expect(record.languages.map((item) => item.proficiency)).toEqual([
      'Native or bilingual proficiency',
      'Limited working proficiency',
    ])
  })

  test('has the company at the top of the page first', () => {
    expect(experience[0]?.company_name).toBe('Anker Letters')
    expect(experience[1]?.company_name).toBe('Tove Anker')
  })

  test('has dates from the line below a job where they have no field of their own', () => {
    const dated = (duration: string) => {
      const [first] = busyPerson.experience
      const row = { ...first, duration, start_date: null, end_date: null }
      return projectPerson(bytes({ ...busyPerson, experience: [row] })).record.experience[0]?.date_range
    }

    expect(dated('Jan 2021 Dec 2022 2 years')).toMatchObject({ start: { iso: '2021-01' }, end: { iso: '2022-12' } })
    expect(dated('Aug 2019 - Present 5 years')).toMatchObject({ start: { iso: '2019-08' }, end: null })
    expect(dated('2003 2004 1 year')).toMatchObject({ start: { iso: '2003' }, end: { iso: '2004' } })
    expect(dated('2 years')).toBeNull()
  })
})

test.each([
  [{}],
  [[]],
  [[{ error: 'x', error_code: 'dead_page' }]],
  ['text'],
  ['{"a":1}\n{"b"'],
  [{ about: 'Nobody' }],
])('a payload that names nobody is unusable: %j', (payload) => {
  expect(() => provider.project('people', bytes(payload))).toThrow(expect.objectContaining({ kind: 'invalid' }))
  expect(() => provider.project('companies', bytes(payload))).toThrow(expect.objectContaining({ kind: 'invalid' }))
})
