import { describe, expect, test } from 'vitest'
import { enrichlayer, enrichlayerDefaultUrl } from '../../../src/providers/enrichlayer/enrichlayer.ts'
import { engineer, entrepreneur } from '../fixtures/enrichlayer-career.ts'
import { person } from '../fixtures/enrichlayer.ts'
import { personAt } from '../projected.ts'
import { groupsOf, periodOf } from '../shown.ts'

const provider = enrichlayer({ url: enrichlayerDefaultUrl, key: 'secret-key' })
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const personOf = (value: unknown) => personAt(provider, bytes(value))

const derivedId = expect.stringMatching(/^vitae-[0-9a-f]{16}$/)

describe('a profile', () => {
  test('has one group per company, the named occupation first, then the other current ones', () => {
    expect(groupsOf(personOf(person))).toEqual([
      {
        name: 'Ebb Office',
        id: derivedId,
        url: 'https://www.linkedin.com/company/ebb-office',
        period: '2012-03..',
        positions: ['Tide reader 2019-09..', 'Junior tide reader 2012-03..2016-01'],
      },
      { name: 'Flow & Co', id: null, url: null, period: '2018-05..', positions: ['Advisor 2018-05..'] },
      {
        name: 'School of Moons',
        id: '424242',
        url: 'https://www.linkedin.com/school/424242',
        period: '2016-02..2018-04',
        positions: ['Lecturer 2016-02..2018-04'],
      },
    ])
  })

  test('drops days and months that the provider invents', () => {
    const { education, certifications, projects, honors, publications } = personOf(person)

    expect(education.map((item) => periodOf(item.date_range))).toEqual(['2007..2011', null])
    expect(periodOf(certifications[0]?.date_range)).toBe('2020-09..2023-09')
    expect(periodOf(projects[0]?.date_range)).toBe('2019-01..2019-06')
    expect(periodOf(honors[0]?.date_range)).toBe('2019-04..2019-04')
    expect(periodOf(publications[0]?.date_range)).toBe('2020-06..2020-06')
  })

  test('fills every field that Enrich Layer supplies', () => {
    const { record, identity, sourceUpdatedAt } = provider.project('people', bytes(person))

    expect(record).toMatchObject({
      member_urn: identity.key,
      entity_urn: identity.key.replace('person', 'profile'),
      public_identifier: 'wren-saltmarsh',
      first_name: 'Wren',
      last_name: 'Saltmarsh',
      headline: 'Tide reader',
      summary: 'Reads tides.\n\nAll of them.',
      industry: 'Oceanography',
      profile_photo_url: 'https://media.example/wren.jpg',
      profile_url: 'https://www.linkedin.com/in/wren-saltmarsh',
      websites: ['https://www.linkedin.com/in/wren-saltmarsh'],
      location: { name: 'Bergen, Vestland, Norway', city: 'Bergen', country: 'Norway', country_code: 'NO' },
      network_info: { followers_count: 1204, connections_count: 500, custom_action: null },
      verifications: null,
      contact_info: {
        email_address: 'wren@mail.example',
        websites: [{ url: 'wren.example', type: null, label: null }],
        twitter_handles: ['wrentides'],
        phone_numbers: ['+47 00 00 00'],
        birth_date: { year: 1988, month: 3, day: 7, iso: '1988-03-07' },
        address: null,
      },
      skills: ['Tides', 'Ropes'],
    })
    expect(identity.derived).toBe(true)
    expect(identity.aliases).toEqual([{ type: 'slug', value: 'wren-saltmarsh' }])
    expect(sourceUpdatedAt).toBe(Date.UTC(2026, 10, 1, 10))
  })

  test('has ten sections in one shape', () => {
    const record = personOf(person)

    expect(record.certifications).toMatchObject([
      {
        name: 'Master of Tides',
        title: 'Master of Tides',
        description: 'License: 77',
        company: 'Tide Guild',
        url: 'https://guild.example/77',
      },
    ])
    expect(record.courses).toMatchObject([
      { name: 'Waves', company: null, description: 'Course number: W1', date_range: null },
    ])
    expect(record.honors).toMatchObject([{ title: 'Golden Float', company: 'Harbour Board' }])
    expect(record.languages.map(({ name, proficiency }) => [name, proficiency])).toEqual([
      ['Norwegian', 'Native or bilingual proficiency'],
      ['Danish', 'Limited working proficiency'],
      ['Finnish', null],
    ])
    expect(record.organizations).toMatchObject([{ name: 'Tide Club', position_held: 'Captain', description: 'Leads.' }])
    expect(record.patents).toMatchObject([
      { title: 'Float', company: 'NO', description: 'Floats.\nPatent: 1', date_range: null },
    ])
    expect(record.projects).toMatchObject([{ title: 'Long wave', url: 'https://wave.example' }])
    expect(record.publications).toMatchObject([{ name: 'On ebbs', company: 'Water Press' }])
    expect(record.test_scores).toMatchObject([
      { name: 'Knots', description: 'Score: 9', date_range: { start: { iso: '2010-02' } } },
    ])
    expect(record.volunteer_experiences).toMatchObject([
      { title: 'Lifeboat crew', company: 'Lifeboats', company_id: '777', image_url: 'https://media.example/boat.png' },
    ])
  })

  test('has lists that are sent as one text', () => {
    const { skills, languages } = personOf({
      ...person,
      skills: 'Tides, Ropes; Knots',
      languages: 'Norwegian, Danish',
      languages_and_proficiencies: null,
    })

    expect(skills).toEqual(['Tides', 'Ropes', 'Knots'])
    expect(languages.map(({ name }) => name)).toEqual(['Norwegian', 'Danish'])
  })

  test('keeps languages without a level', () => {
    const { languages } = personOf({ ...person, languages_and_proficiencies: [] })

    expect(languages.map(({ name, proficiency }) => [name, proficiency])).toEqual([
      ['Norwegian', null],
      ['Danish', null],
    ])
  })

  test('has a derived key that is always the same for one slug, and no other', () => {
    const keyOf = (slug: string) =>
      provider.project('people', bytes({ ...person, public_identifier: slug })).identity.key

    expect(keyOf('wren-saltmarsh')).toBe(keyOf('Wren-Saltmarsh'))
    expect(keyOf('wren-saltmarsh')).not.toBe(keyOf('wren-saltmarsh-2'))
  })

  test("is the same inside a collector's envelope", () => {
    const wrapped = { success: true, data: person, status_code: 200 }

    expect(provider.project('people', bytes(wrapped))).toEqual(provider.project('people', bytes(person)))
  })
})

describe('a career', () => {
  test('with five current jobs keeps their order, after the occupation', () => {
    const groups = groupsOf(personOf(entrepreneur))

    expect(groups.map(({ url, period }) => [url?.split('/').at(-1), period])).toEqual([
      ['honka-oy', '2017-05..'],
      ['lead-mill-fi', '2022-01..'],
      ['sales-mill-fi', '2020-10..'],
      ['puuseppa-ventures', '2016-03..'],
      ['kuusi-consulting', '2003-08..'],
    ])
  })

  test('has months but no days, and only years for schools', () => {
    const { education, certifications, projects, organizations } = personOf(entrepreneur)

    expect(education.map((item) => periodOf(item.date_range))).toEqual([
      '2018..2018',
      '2012..2012',
      '2008..2010',
      '2007..2008',
      '2003..2005',
    ])
    expect(education.map((item) => item.school_name !== null)).toEqual([false, true, false, true, false])
    expect(certifications.map((item) => periodOf(item.date_range))).toEqual(['2022-09..', '2017-10..2019-12', null])
    expect(periodOf(projects[0]?.date_range)).toBe('2019-01..2019-06')
    expect(periodOf(organizations[0]?.date_range)).toBe('2013-11..')
  })

  test('has its counts and its country, and a derived key', () => {
    const record = personOf(entrepreneur)

    expect(record.languages.length).toBe(4)
    expect(record.location.country_code).toBe('FI')
    expect(record.network_info).toEqual({ followers_count: 2024, connections_count: 500, custom_action: null })
    expect(record.member_urn).toMatch(/^urn:vitae:person:[0-9a-f]{16}$/)
  })

  test('with one current job of three has schools by the number in their page', () => {
    const record = personOf(engineer)

    expect(groupsOf(record).map(({ period }) => period)).toEqual(['2018-11..', '2014-03..2018-11', '2012-02..2014-03'])
    expect(record.education.map((item) => [item.school_id, item.company_id, periodOf(item.date_range)])).toEqual([
      ['150300', '150300', '2012..2014'],
      ['2626100', '2626100', '2008..2012'],
    ])
    expect(record.location.country_code).toBe('US')
  })
})

describe('the occupation', () => {
  const job = (title: string, company: string, more = {}) => ({
    title,
    company,
    starts_at: null,
    ends_at: null,
    ...more,
  })
  const jobs = (occupation: string | null, ...experiences: object[]) =>
    groupsOf(personOf({ ...person, occupation, experiences })).map(({ name, period }) => [name, period])

  test('makes a job without dates the current one', () => {
    const listed = [job('Baker', 'Crumb', { starts_at: { year: 2019, month: 3 } }), job('Miller', 'Husk')]

    expect(jobs('Miller at Husk', ...listed)).toEqual([
      ['Husk', '..'],
      ['Crumb', '2019-03..'],
    ])
    expect(jobs(null, ...listed)).toEqual([
      ['Crumb', '2019-03..'],
      ['Husk', null],
    ])
  })

  test('does not revive an ended job', () => {
    const ended = job('Miller', 'Husk', { starts_at: { year: 2015 }, ends_at: { text: 'some time ago' } })

    expect(jobs('Miller at Husk', ended, job('Baker', 'Crumb', { starts_at: { year: 2019 } }))).toEqual([
      ['Crumb', '2019..'],
      ['Husk', '2015..2015'],
    ])
  })
})

test('volunteering has the id and the page of its organization', () => {
  const page = 'https://no.linkedin.com/company/harbour-choir?trk=x'
  const { volunteer_experiences: items } = personOf({
    ...person,
    volunteer_work: [{ title: 'Tenor', company: 'Harbour Choir', company_linkedin_profile_url: page }],
  })

  expect(items).toMatchObject([{ company_id: derivedId, url: 'https://www.linkedin.com/company/harbour-choir' }])
})
