import { describe, expect, test } from 'vitest'
import { brightdata, brightdataDefaultUrl } from '../../../src/providers/brightdata/brightdata.ts'
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

  test('fills everything that Bright Data supplies', () => {
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

  test('has its sections in one shape, and no more precision than the page', () => {
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

  test('has no button label as place, and no area as city', () => {
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

test.each([
  [{}],
  [[]],
  [[{ error: 'x', error_code: 'dead_page' }]],
  ['text'],
  ['{"a":1}\n{"b"'],
  [{ about: 'Nobody' }],
])('a payload that identifies nobody is refused: %j', (payload) => {
  expect(() => provider.project('people', bytes(payload))).toThrow(expect.objectContaining({ kind: 'invalid' }))
  expect(() => provider.project('companies', bytes(payload))).toThrow(expect.objectContaining({ kind: 'invalid' }))
})
