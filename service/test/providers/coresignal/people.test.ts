import type { Person } from '@vitae/contract'
import { describe, expect, test } from 'vitest'
import { coresignal, coresignalDefaultUrl } from '../../../src/providers/coresignal/coresignal.ts'
import { founder, researcher } from '../fixtures/coresignal-career.ts'
import { person } from '../fixtures/coresignal.ts'
import { personAt } from '../projected.ts'
import { groupsOf, periodOf } from '../shown.ts'

const provider = coresignal({ url: coresignalDefaultUrl, key: 'secret-key' })
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const personOf = (value: unknown) => personAt(provider, bytes(value))

const derivedId = expect.stringMatching(/^vitae-[0-9a-f]{16}$/)

describe('a profile', () => {
  test('has one group per company, under any company name and with or without its id', () => {
    const { experience, ...record } = personOf(person)

    expect(groupsOf({ ...record, experience })).toEqual([
      { name: 'Quarry and Quarry', id: null, url: null, period: '..', positions: ['Owner ..'] },
      {
        name: 'The Minds of Marble',
        id: derivedId,
        url: 'https://www.linkedin.com/company/marble-minds',
        period: '2003-07..2016-05',
        positions: ['Head cutter 2014-03..2016-05', 'Cutter 2008-02..2013', 'Apprentice 2003-07..2003-09'],
      },
    ])
    expect(experience[1]).toMatchObject({
      company_industry: 'Stone',
      company_employee_count_range: { start: 5001, end: 10_000 },
    })
  })

  test("has Coresignal's active employer first among current ones", () => {
    const job = (company_id: number, company_name: string, order_in_profile: number) => ({
      company_id,
      company_name,
      position_title: 'Keeper',
      date_from: 'January 2020',
      active_experience: 1,
      order_in_profile,
    })
    const jobs = [job(1, 'First on the page', 1), job(2, 'The active one', 2), job(3, 'Last on the page', 3)]

    const { experience } = personOf({ ...person, experience: jobs, active_experience_company_id: 2 })

    expect(experience.map((group) => group.company_name)).toEqual([
      'The active one',
      'First on the page',
      'Last on the page',
    ])
  })

  test("keeps the vendor's ids out of the record and among the aliases", () => {
    const { record, identity } = provider.project('people', bytes(person))

    expect(JSON.stringify(record)).not.toMatch(/700000001|10857610/)
    expect(identity).toEqual({
      key: 'urn:li:member:27182818',
      derived: false,
      aliases: [
        { type: 'urn', value: 'urn:li:member:27182818' },
        { type: 'member', value: '27182818' },
        { type: 'slug', value: 'odile-quarry' },
        { type: 'coresignal', value: '700000001' },
      ],
    })
  })

  test('fills every field that Coresignal supplies', () => {
    const { record, sourceUpdatedAt } = provider.project('people', bytes(person))

    expect(record).toMatchObject({
      public_identifier: 'odile-quarry',
      first_name: 'Odile',
      last_name: 'Quarry',
      headline: 'Stone cutter',
      summary: 'Cuts.\nStones.',
      profile_photo_url: null,
      profile_url: 'https://www.linkedin.com/in/odile-quarry',
      location: { name: 'Evora, Portugal', city: 'Evora', country: 'Portugal', country_code: 'PT' },
      network_info: { followers_count: 812, connections_count: 500, custom_action: null },
      contact_info: { email_address: 'odile@stones.example', websites: [], phone_numbers: [], birth_date: null },
      skills: ['stones', 'saws'],
      volunteer_experiences: [],
      test_scores: [],
    })
    expect(sourceUpdatedAt).toBe(Date.UTC(2026, 9, 5, 8))
  })

  test('separates degree and field of study, with schools in profile order', () => {
    const { education } = personOf(person)

    expect(
      education.map((item) => [item.school_name, item.degree, item.field_of_study, periodOf(item.date_range)]),
    ).toEqual([
      ['Sand Hall', 'PhD', null, null],
      ['School of Stone', 'Dual Degree (B.Tech, M.Tech)', 'Stone, Sand and Lime', '1999..2003'],
    ])
    expect(education[1]).toMatchObject({
      school_url: 'https://www.linkedin.com/school/school-of-stone',
      school_id: derivedId,
      company_id: derivedId,
      activities: 'Chisel Club',
    })
  })

  test.each([
    ['Evora, Alentejo, Portugal', 'Evora'],
    ['Evora, Portugal', 'Evora'],
    ['New York, New York, US', 'New York'],
    ['Greater Evora', null],
    ['Portugal', null],
  ])('has its city from the text %j if no field has it', (text, city) => {
    const { location } = personOf({ ...person, location_city: null, location_full: text })

    expect(location).toMatchObject({ name: text, city, country: 'Portugal', country_code: 'PT' })
  })

  test('has its sections in one shape', () => {
    const record = personOf(person)
    const shown = (items: Person['honors']) =>
      items.map(({ name, company, date_range: range }) => [name, company, periodOf(range)])

    expect(shown(record.honors)).toEqual([
      ['Sharpest Saw', 'Saw Board', '2024-03-15..2024-03-15'],
      ['Second Saw', null, null],
    ])
    expect(shown(record.courses)).toEqual([
      ['Dust', 'Dust Academy', null],
      ['Rocks', null, null],
    ])
    expect(record.courses[1]?.description).toBe('Course number: GEO 101')
    expect(shown(record.certifications)).toEqual([['Master Mason', 'Lodge', '2023-11..']])
    expect(record.certifications[0]).toMatchObject({ company_id: '3131', url: 'https://lodge.example/1' })
    expect(shown(record.patents)).toEqual([['Wet saw', null, '2023-09-10..2023-09-10']])
    expect(record.patents[0]?.description).toBe('Wets.')
    expect(shown(record.publications)).toEqual([['On dust', 'Dust Press, Sand Press', '2021-12..2021-12']])
    expect(shown(record.projects)).toEqual([['Big block', null, '2018-10..2019-05']])
    expect(record.organizations).toMatchObject([
      { name: 'Masons', position_held: 'Treasurer', date_range: { end: null } },
    ])
    expect(record.languages).toMatchObject([{ name: 'Portuguese', proficiency: 'Native or bilingual proficiency' }])
  })
})

describe('a career', () => {
  test('of ten rows is seven groups: a promotion in three steps, a return after years', () => {
    const { experience, ...record } = personOf(researcher)

    expect(groupsOf({ ...record, experience }).map(({ name, period }) => [name, period])).toEqual([
      ['Deep Mine', '2021-02..'],
      ['Open Shaft', '2016-07..2020-12'],
      ['Boulder', '2015-10..2016-07'],
      ['Pebble', '2014-11..2015-10'],
      ['Skarn Hall', '2011-12..2014-12'],
      ['Gravel Works', '2003-07..2013'],
      ['Ravine', '2006-09..2011-11'],
    ])
    expect(experience[1]?.positions.map((position) => periodOf(position.date_range))).toEqual([
      '2019-12..2020-12',
      '2018-09..2019-12',
      '2016-07..2018-09',
    ])
    expect(experience.map((group) => group.company_employee_count_range)).toEqual([
      { start: 501, end: 1000 },
      { start: 201, end: 500 },
      { start: 10_001, end: null },
      { start: 10_001, end: null },
      { start: null, end: null },
      { start: 51, end: 200 },
      { start: 5001, end: 10_000 },
    ])
  })

  test("has the person's platform number, and degrees separate from fields", () => {
    const record = personOf(researcher)

    expect(record.member_urn).toBe('urn:li:member:13100010')
    expect(record.location.country_code).toBe('PT')
    expect(record.education.map((item) => [item.degree, item.field_of_study, periodOf(item.date_range)])).toEqual([
      ['Progress towards BS', 'Physics', '2001..2003'],
      ['BS', 'Physics', '2004..2006'],
      ['PhD', '(Geo)physics', '2006..2011'],
    ])
  })

  test('with two current jobs keeps their order; a return is merged; unknown dates stay unknown', () => {
    const record = personOf(founder)

    expect(groupsOf(record).map(({ name, period, positions }) => [name, period, positions.length])).toEqual([
      ['Deep Mine', '2022-08..', 1],
      ['Graça Pedreira', '2023-01..', 1],
      ['Open Shaft', '2018-05..2022-08', 2],
      ['Boulder', '2020-05..2021-04', 1],
      ['Pebble', '2019-05..2019-09', 1],
    ])
    expect(record.education.map((item) => item.date_range)).toEqual([null, null])
    expect(record.honors.map((item) => periodOf(item.date_range))).toEqual([null, '2015-05..2015-05'])
    expect(record.profile_photo_url).toBeNull()
    expect(record.public_identifier).toBe('graca-pedreira')
  })
})
