import { describe, expect, test } from 'vitest'
import { brightdata, brightdataDefaultUrl } from '../../../src/providers/brightdata/brightdata.ts'
import { busyPerson } from '../fixtures/brightdata-corners.ts'
import { personAt } from '../projected.ts'

const provider = brightdata({ url: brightdataDefaultUrl, key: 'secret-key' })
const personOf = (payload: unknown) => personAt(provider, new TextEncoder().encode(JSON.stringify(payload)))

describe('a fictional profile with many jobs', () => {
  const record = personOf(busyPerson)
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

  test('has the lines of the page, counts as given and no area as city', () => {
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

  test('has dates from the line below a job if they have no field', () => {
    const dated = (duration: string) => {
      const [first] = busyPerson.experience
      const row = { ...first, duration, start_date: null, end_date: null }
      return personOf({ ...busyPerson, experience: [row] }).experience[0]?.date_range
    }

    expect(dated('Jan 2021 Dec 2022 2 years')).toMatchObject({ start: { iso: '2021-01' }, end: { iso: '2022-12' } })
    expect(dated('Aug 2019 - Present 5 years')).toMatchObject({ start: { iso: '2019-08' }, end: null })
    expect(dated('2003 2004 1 year')).toMatchObject({ start: { iso: '2003' }, end: { iso: '2004' } })
    expect(dated('2 years')).toBeNull()
  })
})
