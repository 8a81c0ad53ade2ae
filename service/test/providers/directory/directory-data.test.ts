import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Company, CompanySummary, Person } from '@vitae/contract'
import { describe, expect, test } from 'vitest'
import { parseIdentifier } from '../../../src/records/identifiers/parse-identifier.ts'
import { expectContractRules } from '../../contract-rules.ts'
import { expectConsistentCompany, expectConsistentPerson } from '../../fiction-rules.ts'

const folder = join(import.meta.dirname, '../../../directory')
const linesOf = (file: string) => readFileSync(join(folder, file), 'utf8').trimEnd().split('\n')
const people = linesOf('people.ndjson').map((line) => JSON.parse(line) as Person)
const companies = linesOf('companies.ndjson').map((line) => JSON.parse(line) as Company)
const companyOf = new Map(companies.map((company) => [company.company_id, company]))

const groups = people.flatMap((person) => person.experience)
const studies = people.flatMap((person) => person.education)

describe('every line', () => {
  test('is a contract record with consistent parts', () => {
    for (const person of people) {
      expectContractRules('people', person)
      expectConsistentPerson(person)
    }
    for (const company of companies) {
      expectContractRules('companies', company)
      expectConsistentCompany(company)
    }
  })

  test('of a person has contact details with a birth date, and nobody joined before 13', () => {
    for (const { contact_info: contact, verifications } of people) {
      const born = contact?.birth_date?.year ?? Infinity
      const joined = verifications?.joined_date?.split(' ')[1] ?? 2026
      expect(Number(joined) - born).toBeGreaterThan(13)
      expect(born).toBeGreaterThan(1940)
    }
  })

  test('is found by its slug, its page and its durable key, which are unique', () => {
    for (const person of people) {
      expect(parseIdentifier('people', person.profile_url ?? '').value).toBe(person.public_identifier)
      expect(parseIdentifier('people', person.entity_urn?.split(':').at(-1) ?? '').type).toBe('opaque')
      expect(person.member_urn).toMatch(/^urn:li:member:9\d{8}$/)
    }
    for (const company of companies) {
      expect(parseIdentifier('companies', company.platform_url ?? '').value).toBe(company.public_identifier)
      expect(company.company_id).toMatch(/^9\d{8}$/)
    }
    for (const names of [
      people.map((person) => person.public_identifier),
      people.map((person) => person.member_urn),
      people.map((person) => person.entity_urn),
      companies.map((company) => company.public_identifier),
      companies.map((company) => company.company_id),
    ]) {
      expect(new Set(names).size).toBe(names.length)
    }
  })
})

describe('every reference', () => {
  test('of a work history refers to a company with matching facts, and each employer occurs once', () => {
    for (const group of groups) {
      if (group.company_id === null) continue
      const company = companyOf.get(group.company_id)
      expect(group.company_name).toBe(company?.company_name)
      expect(group.company_url).toBe(company?.platform_url)
      expect(group.company_industry).toBe(company?.industries?.[0]?.name ?? null)
      const unknown = { start: null, end: null }
      expect(group.company_employee_count_range).toEqual(company?.staff_info?.staff_range ?? unknown)
      const founded = company?.founded_on?.year ?? 0
      expect(group.date_range?.start?.year ?? 9999).toBeGreaterThanOrEqual(founded)
    }
    for (const { experience } of people) {
      expect(new Set(experience.map((group) => group.company_name)).size).toBe(experience.length)
    }
  })

  test('of an education refers to a school with matching facts', () => {
    for (const study of studies) {
      expect(study.company_id).toBe(study.school_id)
      if (study.school_id === null) continue
      const school = companyOf.get(study.school_id)
      expect(school?.company_type?.type_code).toBe('EDUCATIONAL')
      expect(study.school_name).toBe(school?.company_name)
      expect(study.school_url).toBe(school?.platform_url)
    }
  })

  test('of one company page to another refers to a line with matching facts', () => {
    const summaries = companies.flatMap((one) => [...(one.showcase_pages ?? []), ...(one.affiliated_companies ?? [])])
    expect(summaries.length).toBeGreaterThan(2)
    for (const summary of summaries) expect(summaryOf(summary.entity_urn)).toEqual(summary)
  })

  test('of an award or a certificate refers to a company of that name', () => {
    const items = people.flatMap((person) => [...person.certifications, ...person.courses, ...person.honors])
    const known = items.filter((item) => item.company_id !== null)
    expect(known.length).toBeGreaterThan(3)
    for (const item of known) expect(companyOf.has(item.company_id)).toBe(true)
  })
})

describe('the set shows', () => {
  test('enough of everything', () => {
    expect(people.length).toBeGreaterThanOrEqual(48)
    expect(companies.length).toBeGreaterThanOrEqual(24)
    expect(new Set(people.map((person) => person.location.country_code)).size).toBeGreaterThan(15)
    expect(people.filter((person) => person.is_memorialized)).toHaveLength(1)
    expect(people.filter((person) => person.headline === null).length).toBeGreaterThan(1)
    expect(companies.filter((company) => company.is_showcase)).toHaveLength(1)
    expect(companies.filter((company) => company.auto_generated)).toHaveLength(1)
    expect(companies.some((company) => (raised(company) ?? 0) > 2 ** 32)).toBe(true)
    expect(groups.filter((group) => group.company_id !== null).length).toBeGreaterThan(60)
  })

  test('many scripts', () => {
    const names = people.map((person) => `${person.first_name}${person.last_name}`).join('')
    for (const script of ['Latin', 'Cyrillic', 'Greek', 'Arabic', 'Devanagari', 'Han', 'Hangul']) {
      expect(names).toMatch(new RegExp(`\\p{Script=${script}}`, 'u'))
    }
  })

  test('promotions, side jobs and returns', () => {
    expect(groups.filter((group) => group.positions.length > 1).length).toBeGreaterThan(15)
    const current = (person: Person) => person.experience.filter((group) => group.date_range?.end === null)
    expect(people.filter((person) => current(person).length > 1).length).toBeGreaterThan(3)
    const returned = groups.filter(({ positions: [last, before] }) => {
      const left = before?.date_range?.end?.iso
      return left !== undefined && left.slice(0, 4) < (last?.date_range?.start?.iso.slice(0, 4) ?? '')
    })
    expect(returned.length).toBeGreaterThan(2)
  })

  test('a first person and company that make a good example', () => {
    expect(people[0]).toMatchObject({ public_identifier: 'amara-okafor' })
    expect(people[0]?.experience[0]?.company_id).toBe(companies[0]?.company_id)
    expect(companies[0]).toMatchObject({ public_identifier: 'tidewater-robotics' })
  })
})

function raised(company: Company): number | null {
  return company.funding_data?.last_funding_round?.money_raised?.amount ?? null
}

function summaryOf(urn: string | null): CompanySummary | null {
  const company = companyOf.get(urn?.split(':').at(-1) ?? '')
  if (!company) return null
  return {
    company_name: company.company_name,
    public_identifier: company.public_identifier,
    entity_urn: `urn:li:company:${company.company_id}`,
    company_url: company.platform_url,
    description: company.description,
    logo_url: company.logo_url,
    followers_count: company.followers_count,
    industries: company.industries,
    is_paid: company.is_paid,
    is_showcase: company.is_showcase,
  }
}
