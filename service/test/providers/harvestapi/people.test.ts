import { describe, expect, test } from 'vitest'
import { harvestapi, harvestapiDefaultUrl } from '../../../src/providers/harvestapi/harvestapi.ts'
import { career } from '../fixtures/harvestapi-career.ts'
import { person } from '../fixtures/harvestapi.ts'
import { personAt } from '../projected.ts'
import { groupsOf, periodOf } from '../shown.ts'

const provider = harvestapi({ url: harvestapiDefaultUrl, key: 'secret-key' })
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const personOf = (value: unknown) => personAt(provider, bytes(value))
const identityOf = (value: unknown) => provider.project('people', bytes(value)).identity

const derivedId = expect.stringMatching(/^vitae-[0-9a-f]{16}$/)

describe('a profile', () => {
  test('becomes one group per company, current first, returns merged by number or slug', () => {
    const { experience } = personOf(person)

    expect(experience.map((group) => [group.company_name, group.company_id, group.company_url])).toEqual([
      ['North Light AS', '7700', 'https://www.linkedin.com/company/north-light'],
      ['Somewhere & Co', null, null],
      ['Old Light Ltd', derivedId, 'https://www.linkedin.com/company/old-light'],
    ])
    expect(experience.map((group) => group.positions.map((position) => position.title))).toEqual([
      ['Keeper in chief', 'Adviser'],
      ['Guest'],
      ['Keeper'],
    ])
  })

  test('keeps dates exactly at their written precision', () => {
    const { experience, education } = personOf(person)

    const spans = experience.map(({ date_range: range }) => [range?.start?.iso, range?.end?.iso])
    expect(spans).toEqual([
      ['2015-01', undefined],
      ['2017-07', '2017-07'],
      ['2003', '2006-02'],
    ])
    expect(education[0]?.date_range).toEqual({
      start: { year: 1999, month: null, day: null, iso: '1999' },
      end: { year: 2002, month: null, day: null, iso: '2002' },
    })
  })

  test('fills every field that HarvestAPI supplies', () => {
    const record = personOf(person)

    expect(record).toMatchObject({
      entity_urn: 'urn:li:fsd_profile:ACoAAABxyzAda0Wintergreen',
      public_identifier: 'ada-wintergreen',
      first_name: 'Ada',
      last_name: 'Wintergreen',
      headline: 'Keeper of lighthouses',
      summary: 'Light.\n\nMore light.',
      industry: null,
      profile_photo_url: 'https://media.example/ada.jpg',
      background_photo_url: 'https://media.example/sea.jpg',
      profile_url: 'https://www.linkedin.com/in/ada-wintergreen',
      websites: ['https://www.linkedin.com/in/ada-wintergreen'],
      is_memorialized: false,
      location: { name: 'Bergen, Vestland, Norway', city: 'Bergen', country: 'Norway', country_code: 'NO' },
      network_info: { followers_count: 1204, connections_count: 12, custom_action: null },
      badges: {
        premium: true,
        creator: false,
        influencer: false,
        top_voice: false,
        open_to_work: true,
        is_hiring: false,
      },
      verifications: { is_verified: false, joined_date: 'March 2011', sections: [] },
      contact_info: {
        email_address: 'ada@lights.example',
        websites: [{ url: 'lights.example', type: null, label: null }],
        twitter_handles: [],
        phone_numbers: [],
        birth_date: null,
        address: null,
      },
      skills: ['Lenses', 'Fog'],
    })
    expect(record.experience[0]).toMatchObject({
      company_logo_url: 'https://media.example/north.png',
      company_employee_count_range: { start: null, end: null },
      workplace_type: 'onsite',
      positions: [{ description: 'Kept it lit.', location_name: 'Bergen', employment_type: 'Full-time' }, {}],
    })
  })

  test('has all sections in one shape', () => {
    const record = personOf(person)
    const empty = {
      description: null,
      url: null,
      image_url: null,
      company: null,
      company_id: null,
      position_held: null,
    }
    const date = (iso: string, year: number, month: number | null, day: number | null) => ({ year, month, day, iso })
    const named = (name: string) => ({ name, title: name, ...empty, date_range: null })

    expect(record.certifications).toEqual([
      {
        ...named('Lens grinder'),
        company: 'Lens Guild',
        company_id: '99',
        date_range: { start: date('2023-09', 2023, 9, null), end: date('2026-09', 2026, 9, null) },
      },
    ])
    expect(record.courses).toEqual([{ ...named('Fog I'), company: 'Fjord Polytechnic', company_id: '4242' }])
    expect(record.publications).toEqual([
      {
        ...named('On fog'),
        url: 'https://mist.example/5',
        company: 'Journal of Mist',
        date_range: { start: date('2021-09-05', 2021, 9, 5), end: date('2021-09-05', 2021, 9, 5) },
      },
    ])
    expect(record.honors).toEqual([
      {
        ...named('Golden Lamp'),
        date_range: { start: date('2004-10', 2004, 10, null), end: date('2004-10', 2004, 10, null) },
      },
    ])
    expect(record.languages).toEqual([{ ...named('Norwegian'), proficiency: 'Native' }])
    expect(record.volunteer_experiences).toEqual([
      { ...named('Lifeguard'), company: 'Coast Watch', position_held: 'Lifeguard' },
    ])
    expect([record.organizations, record.patents, record.projects, record.test_scores]).toEqual([[], [], [], []])
  })

  test('is the same record with or without its envelope', () => {
    const bare = provider.project('people', bytes(person))

    expect(provider.project('people', bytes({ element: person, status: 200, cost: 4 })).record).toEqual(bare.record)
    expect(provider.project('people', bytes([{ ...person, status: 200 }])).record).toEqual(bare.record)
  })

  test('has the member number of an opaque id that contains one, and a stable derived key otherwise', () => {
    const number = Buffer.from('002a0000000030390102030405060708090a0b0c0d0e0f101112131415', 'hex').toString(
      'base64url',
    )

    expect(identityOf({ ...person, id: number })).toMatchObject({
      key: 'urn:li:member:12345',
      derived: false,
    })
    const derived = identityOf(person)
    expect(derived.key).toMatch(/^urn:vitae:person:[0-9a-f]{16}$/)
    expect(derived).toEqual({
      key: identityOf({ ...person, publicIdentifier: 'moved' }).key,
      derived: true,
      aliases: [
        { type: 'opaque', value: 'ACoAAABxyzAda0Wintergreen' },
        { type: 'slug', value: 'ada-wintergreen' },
      ],
    })
  })
})

describe('a long career', () => {
  test('of ten flat positions is five groups, one of them current', () => {
    const groups = groupsOf(personOf(career))

    expect(groups.map(({ name, id, period, positions }) => [name, id, period, positions.length])).toEqual([
      ['Aurora Apothecary', '46800', '2015-09..', 4],
      ['Journal Reading Circle', null, '2022-03..2022-04', 1],
      ['Moss Laboratory', '88020', '2022-01..2022-02', 1],
      ['Clinic of the Seven Islands', '88010', '2021-07..2021-12', 3],
      ['Evening School', null, '2011-02..2015-08', 1],
    ])
    expect(groups[0]?.positions.map((one) => one.split(' ').at(-1))).toEqual([
      '2024-01..',
      '2022-11..2023-12',
      '2018-11..2022-11',
      '2015-09..2018-11',
    ])
  })

  test('does not use a search as a company page', () => {
    const { experience } = personOf(career)

    expect(experience.map((group) => group.company_url)).toEqual([
      'https://www.linkedin.com/company/aurora-apothecary',
      null,
      'https://www.linkedin.com/company/moss-laboratory',
      'https://www.linkedin.com/company/seven-islands',
      null,
    ])
    expect(experience.map((group) => group.workplace_type)).toEqual(['onsite', 'hybrid', 'hybrid', 'onsite', null])
  })

  test('has schools by the number in their page, at the precision of their dates', () => {
    const { education } = personOf(career)

    expect(
      education.map((one) => [one.school_id, one.company_id, one.field_of_study, periodOf(one.date_range)]),
    ).toEqual([
      ['263450', '263450', 'Pharmacy', '2018-08..2022-05'],
      ['263451', '263451', null, '2015..2018'],
    ])
  })

  test('has dates from texts with other words in them', () => {
    const record = personOf(career)
    const dates = (items: typeof record.honors) => items.map((item) => periodOf(item.date_range))

    expect(dates(record.certifications)).toEqual(['2023-09..', '2017-10..'])
    expect(dates(record.publications)).toEqual(['2023-09-05..2023-09-05'])
    expect(dates(record.volunteer_experiences)).toEqual(['2019-03..2019-03', '2019-04..2019-04'])
    expect(dates(record.honors)).toEqual(['2014-10..2014-10', '2013-10..2013-10'])
    expect(record.verifications).toEqual({ is_verified: true, joined_date: 'February 2016', sections: [] })
  })

  test('names publishers, issuers and organizations without the words around them', () => {
    const { publications, courses, honors, volunteer_experiences: volunteering } = personOf(career)

    expect(publications[0]?.company).toBe('Annals of Northern Medicine')
    expect(courses.map((item) => [item.company, item.company_id])).toEqual([['Fjord College', '263451']])
    expect(honors.map((item) => [item.company, item.company_id])).toEqual([
      ['Pharmacy Department, Fjord College', '263451'],
      ['Fjord College', '263451'],
    ])
    expect(volunteering.map((item) => [item.company, item.company_id])).toEqual([
      ['Students of Tromsø', null],
      ['Society of Apothecaries', '5763000'],
    ])
  })
})

test('a combined text is split: the city of a place, the best skills', () => {
  const location = { linkedinText: 'Bergen, Vestland, Norway', countryCode: 'NO' }
  const record = personOf({ ...person, location, skills: null, topSkills: 'Lenses • Fog' })

  expect(record.location).toEqual({
    name: 'Bergen, Vestland, Norway',
    city: 'Bergen',
    country: 'Norway',
    country_code: 'NO',
  })
  expect(record.skills).toEqual(['Lenses', 'Fog'])
})

test('an honour of one organization that belongs to another has no id', () => {
  const [prize] = career.honorsAndAwards
  const { honors } = personOf({ ...career, honorsAndAwards: [{ ...prize, issuedBy: 'Board of Prizes' }] })

  expect(honors).toMatchObject([{ company: 'Board of Prizes', company_id: null }])
})

test('a profile page has one form, even if only an opaque id is known', () => {
  const url = 'https://no.linkedin.com/in/ACoAAABxyzAda0Wintergreen/?trk=x'
  const record = personOf({ ...person, publicIdentifier: null, linkedinUrl: url })

  expect(record.profile_url).toBe('https://www.linkedin.com/in/ACoAAABxyzAda0Wintergreen')
})
