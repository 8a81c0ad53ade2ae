import { describe, expect, test } from 'vitest'
import { brightdata, brightdataDefaultUrl } from '../../../src/providers/brightdata/brightdata.ts'
import { companyAt, personAt } from '../projected.ts'
import { fingerprint, kindOf, sharedPayloads } from '../shared-payloads.ts'

const provider = brightdata({ url: brightdataDefaultUrl, key: 'secret-key' })
const real = sharedPayloads('brightdata')

const companyOf = (payload: Uint8Array) => companyAt(provider, payload)

describe.skipIf(real.size === 0)('the real payloads', () => {
  const payload = (file: string) => real.get(file) ?? new Uint8Array()
  const source = (file: string) => JSON.parse(new TextDecoder().decode(payload(file)))

  test('are as old as their timestamp says', () => {
    for (const [file, content] of real)
      expect(provider.project(kindOf(file), content).sourceUpdatedAt).toBe(Date.parse(source(file).timestamp))
  })

  test('person-1: sixteen rows are fifteen groups, eight of them current', () => {
    const { experience, member_urn: urn } = personAt(provider, payload('person-1'))

    expect(source('person-1').experience.length).toBe(16)
    expect(experience.length).toBe(15)
    expect(experience.filter((group) => group.date_range?.end === null).length).toBe(8)
    expect(experience.map((group) => group.positions.length)).toEqual([...Array(10).fill(1), 3, 3, 1, 1, 1])
    expect(fingerprint(experience.map((group) => group.date_range?.start?.iso))).toBe('10740d8ab1af')
    expect(fingerprint([experience[10]?.date_range?.end?.iso])).toBe('f127eb1a1002')
    expect(fingerprint(experience[10]?.positions.map((position) => position.date_range?.end?.iso) ?? [])).toBe(
      'a63f8d0bffaf',
    )
    expect(
      experience.every(
        (group) => !/^\d/.test(group.company_id ?? '') && !/[?]|\/\/(?!www)/.test(group.company_url ?? ''),
      ),
    ).toBe(true)
    expect(urn).toBe(`urn:li:member:${source('person-1').linkedin_num_id}`)
  })

  test('person-1: the other parts', () => {
    const record = personAt(provider, payload('person-1'))

    expect(record.summary).not.toMatch(/<br>|&#/)
    expect(record.summary?.split('\n').length).toBeGreaterThan(3)
    expect(record.location).toMatchObject({ city: null, country_code: 'US' })
    expect(record.network_info?.connections_count).toBe(500)
    expect(record.education[0]?.activities).not.toMatch(/activities/i)
    expect(record.education[0]?.description).toBeNull()
    expect(fingerprint(record.certifications.map((item) => item.date_range?.start?.iso))).toBe('c3d8796eb62f')
    expect(fingerprint(record.honors.map((item) => item.date_range?.start?.iso))).toBe('5e8f4833876e')
    expect(record.publications.length).toBe(19)
    expect(fingerprint([record.publications[0]?.date_range?.start?.iso])).toBe('af98a5f37d42')
    expect(record.organizations.every((item) => item.date_range?.end === null)).toBe(true)
  })

  test('person-2: three current groups in the order of the profile, with years only', () => {
    const record = personAt(provider, payload('person-2'))

    expect(fingerprint(record.experience.map((group) => group.date_range?.start?.iso))).toBe('05a1341855d8')
    expect(record.experience.every((group) => group.date_range?.end === null)).toBe(true)
    expect(fingerprint(record.education.map((school) => school.date_range?.end?.iso))).toBe('d5e5f21ee6c9')
    expect(record.location).toMatchObject({ city: source('person-2').location, country_code: 'US' })
  })

  test.each([
    ['company-1', 'PUBLIC_COMPANY', { start: 10_001, end: null }, 2015, 'us', 'IL', [4, 2]],
    ['company-2', 'PRIVATELY_HELD', { start: 201, end: 500 }, undefined, 'il', null, [1, 3]],
    ['company-3', 'SELF_OWNED', { start: 1, end: 1 }, 2016, 'il', null, [0, 0]],
  ])('%s: type, size, founding, place and affiliated pages', (file, type, range, year, country, area, pages) => {
    const record = companyOf(payload(file))

    expect(record.company_id).toMatch(/^\d+$/)
    expect(record.company_type?.type_code).toBe(type)
    expect(record.staff_info).toEqual({ staff_count: source(file).employees_in_linkedin, staff_range: range })
    expect(record.founded_on?.year).toBe(year)
    expect(record.locations?.headquarter).toMatchObject({ country, geographic_area: area, is_headquarter: true })
    expect(record.locations?.headquarter?.postal_code).toMatch(/^\d+$/)
    expect([record.showcase_pages?.length, record.affiliated_companies?.length]).toEqual(pages)
    expect(record.industries).toEqual([{ id: null, name: source(file).industries }])
  })

  test('company-1: funding', () => {
    expect(companyOf(payload('company-1')).funding_data).toMatchObject({
      num_of_funding_rounds: 1,
      last_funding_round: {
        money_raised: { amount: 20_000_000, currency: 'usd' },
        announced_on: { year: 2019, month: 7, day: 10 },
      },
    })
    expect(companyOf(payload('company-1')).specialities?.length).toBe(4)
    expect(companyOf(payload('company-2')).specialities?.length).toBe(13)
  })
})
