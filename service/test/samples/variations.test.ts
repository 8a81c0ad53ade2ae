import type { Company, Person } from '@vitae/contract'
import { describe, expect, test } from 'vitest'
import { parseIdentifier } from '../../src/records/identifiers/parse-identifier.ts'
import { sampleCompany } from '../../src/samples/sample-company.ts'
import { samplePerson } from '../../src/samples/sample-answer.ts'
import { brokenRules } from '@vitae/provider/conformance'

const ids = Array.from({ length: 1000 }, (_, index) => `somebody-${index}`)
const people: Person[] = ids.map((id) => samplePerson(parseIdentifier('people', id)))
const companies: Company[] = ids.map((id) => sampleCompany(parseIdentifier('companies', id)))

test('a thousand people and a thousand companies keep every rule of the contract', () => {
  expect(people.flatMap((one) => brokenRules('people', one))).toEqual([])
  expect(companies.flatMap((one) => brokenRules('companies', one))).toEqual([])
})

describe('among a thousand people', () => {
  const groups = people.flatMap((one) => one.experience)
  const positions = groups.flatMap((group) => group.positions)

  test('some are verified, and some are not', () => {
    const verified = people.map((one) => one.verifications?.is_verified)
    expect(new Set(verified)).toEqual(new Set([true, false]))
  })

  test('every documented type of employment occurs, and null', () => {
    expect(new Set(positions.map((one) => one.employment_type))).toEqual(
      new Set([
        'Full-time',
        'Part-time',
        'Contract',
        'Internship',
        'Self-employed',
        'Freelance',
        'Permanent Full-time',
        null,
      ]),
    )
  })

  test('an employer has a range, an open range or none', () => {
    const ranges = groups.map(({ company_employee_count_range: { start, end } }) => [start !== null, end !== null])
    expect(new Set(ranges.map(String))).toEqual(new Set(['true,true', 'true,false', 'false,false']))
  })

  test.each([
    'education',
    'skills',
    'certifications',
    'courses',
    'honors',
    'languages',
    'organizations',
    'patents',
    'projects',
    'publications',
    'test_scores',
    'volunteer_experiences',
  ] as const)('%s is empty for some and filled for others', (section) => {
    expect(new Set(people.map((one) => one[section].length > 0))).toEqual(new Set([true, false]))
  })

  test('everybody has a birth date, and nobody joins before 13', () => {
    for (const { contact_info: contact, verifications } of people) {
      const joinedIn = Number(verifications?.joined_date?.split(' ')[1])
      expect(joinedIn - (contact?.birth_date?.year ?? Infinity)).toBeGreaterThan(13)
    }
  })

  test('nine in ten current jobs are in the country where the person lives', () => {
    const current = people.flatMap(({ experience, location }) =>
      experience
        .filter((group) => group.date_range?.end === null)
        .map((group) => group.positions[0]?.location_name?.endsWith(`, ${location.country}`)),
    )
    const atHome = current.filter((isHome) => isHome === true).length
    expect(atHome / current.length).toBeGreaterThan(0.9)
    expect(atHome).toBeLessThan(current.length)
  })

  test('there are many countries and scripts, promotions and parallel jobs', () => {
    const all = people
    const names = all.map((one) => `${one.first_name}${one.last_name}`).join('')
    for (const script of ['Latin', 'Cyrillic', 'Greek', 'Arabic', 'Devanagari', 'Han', 'Hangul']) {
      expect(names).toMatch(new RegExp(`\\p{Script=${script}}`, 'u'))
    }
    expect(new Set(all.map((one) => one.location.country_code)).size).toBeGreaterThanOrEqual(10)
    expect(new Set(all.map((one) => one.headline)).size).toBeGreaterThan(800)
    expect(all.some((one) => one.experience.some((group) => group.positions.length > 1))).toBe(true)
    expect(all.some((one) => one.experience.filter((group) => group.date_range?.end === null).length > 1)).toBe(true)
  })
})

describe('among a thousand companies', () => {
  test('staff count and staff range are set or null independently, and some ranges are open', () => {
    const staff = companies.map(({ staff_info: info }) => [info?.staff_count !== null, info?.staff_range !== null])
    expect(new Set(staff.map(String)).size).toBe(4)
    const ends = companies.flatMap(({ staff_info: info }) => info?.staff_range ?? []).map((range) => range.end)
    expect(ends).toContain(null)
  })

  test('some sites have no scheme', () => {
    const schemes = companies.map((one) => one.company_url?.startsWith('https://'))
    expect(new Set(schemes)).toEqual(new Set([true, false]))
  })

  test('some have several industries', () => {
    expect(new Set(companies.map((one) => one.industries?.length))).toEqual(new Set([1, 2, 3]))
  })

  test.each(['specialities', 'showcase_pages', 'affiliated_companies'] as const)(
    '%s is empty for some and filled for others',
    (list) => {
      expect(new Set(companies.map((one) => (one[list]?.length ?? 0) > 0))).toEqual(new Set([true, false]))
    },
  )

  test('some have no known place', () => {
    expect(companies.some((one) => one.locations?.all_locations?.length === 0)).toBe(true)
  })

  test('a funding round in yen is as large as one in dollars', () => {
    const raised = companies.flatMap((one) => one.funding_data?.last_funding_round?.money_raised ?? [])
    const least = (currency: string) =>
      Math.min(...raised.filter((money) => money.currency === currency).map((money) => money.amount ?? 0))
    expect(least('usd')).toBeGreaterThanOrEqual(400_000)
    expect(least('jpy')).toBeGreaterThanOrEqual(60_000_000)
    expect(least('krw')).toBeGreaterThanOrEqual(500_000_000)
  })
})
