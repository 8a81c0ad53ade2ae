import type { Company, Kind, Person } from '@vitae/contract'
import { describe, expect, test } from 'vitest'
import { peopledatalabs, peopledatalabsDefaultUrl } from '../../../src/providers/peopledatalabs/peopledatalabs.ts'
import { company, person } from '../fixtures/peopledatalabs.ts'
import { privateCompany, sandboxPerson } from '../fixtures/peopledatalabs-corners.ts'
import { expectSturdy } from '../mutations.ts'
import { companyAt, personAt } from '../projected.ts'
import { expectDeclared, expectKnownPaths, expectValidProjection } from '../projection-rules.ts'
import { kindOf, sharedPayloads } from '../shared-payloads.ts'
import { expectOneGroupPerCompany, groupsOf } from '../shown.ts'

const provider = peopledatalabs({ url: peopledatalabsDefaultUrl, key: 'secret-key' })
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const real = sharedPayloads('peopledatalabs')
const personOf = (payload: Uint8Array): Person => personAt(provider, payload)
const companyOf = (payload: Uint8Array): Company => companyAt(provider, payload)

const people = [person, sandboxPerson, { status: 200, likelihood: 9, data: person }].map(bytes)
const companies = [company, privateCompany, { status: 200, likelihood: 9, ...company }].map(bytes)

test('every record keeps the rules of the contract, and every filled field is declared', () => {
  for (const payload of people) check('people', payload)
  for (const payload of companies) check('companies', payload)
  expectKnownPaths('people', provider.supplies.people)
  expectKnownPaths('companies', provider.supplies.companies)
})

test('mutated payloads keep the rules of the contract or are refused', { timeout: 300_000 }, () => {
  const payloads = (kind: string) => [...real].flatMap(([file, payload]) => (kindOf(file) === kind ? [payload] : []))
  expectSturdy(provider, 'people', [...people, ...payloads('people')])
  expectSturdy(provider, 'companies', [...companies, ...payloads('companies')])
})

function check(kind: Kind, payload: Uint8Array): void {
  const projection = provider.project(kind, payload)
  expectValidProjection(kind, projection)
  expectDeclared(provider, kind, projection)
  if ('member_urn' in projection.record) expectOneGroupPerCompany(projection.record)
}

interface Source {
  birth_date: string
  linkedin_id: string
  experience: { company: { linkedin_id: string } }[]
  education: { school: { linkedin_id: string } }[]
}

describe.skipIf(real.size === 0)('the real payloads', () => {
  const payload = (file: string) => real.get(file) ?? new Uint8Array()
  const source = (file: string): Source => JSON.parse(new TextDecoder().decode(payload(file)))

  test('keep the rules of the contract too', () => {
    expect(real.size).toBeGreaterThan(0)
    for (const [file, content] of real) check(kindOf(file), content)
  })

  test('person-1: sorted by later end, the primary job is not current, ids of the platform', () => {
    const record = personOf(payload('person-1'))
    const raw = source('person-1')

    expect(groupsOf(record).map(({ period }) => period)).toEqual([
      '2019-09-22..2021-11-20',
      '2019-11-24..2021-09-09',
      '2019-11-13..2020-09-23',
      '2019-04-16..2019-07-30',
    ])
    expect(new Set(record.experience.map((group) => group.company_id))).toEqual(
      new Set(raw.experience.map((row) => row.company.linkedin_id)),
    )
    expect(record.experience[1]?.company_employee_count_range).toEqual({ start: 10_001, end: null })
    expect(record.location.country_code).toBe('CA')
    expect(record.contact_info?.birth_date?.iso).toBe(raw.birth_date)
    expect(record.network_info?.connections_count).toBe(6311)
    expect(record.education.map((item) => item.school_id)).toEqual(raw.education.map((row) => row.school.linkedin_id))
    expect([record.certifications.length, record.languages.length, record.skills.length]).toEqual([3, 4, 2])
    // The sandbox has words in place of the platform's numbers, so the key is derived.
    expect(record.member_urn).toMatch(/^urn:vitae:person:/)
  })

  test('company-1: size, place and the stage, but not the sum, of the last round', () => {
    const record = companyOf(payload('company-1'))

    expect(record.company_id).toBe(source('company-1').linkedin_id)
    expect(record.company_type?.type_code).toBe('PRIVATELY_HELD')
    expect(record.staff_info).toEqual({ staff_count: 85, staff_range: { start: 51, end: 200 } })
    expect(record.locations?.headquarter).toMatchObject({ country: 'us', postal_code: '94105', is_headquarter: true })
    expect(record.founded_on).toEqual({ year: 2015, month: null, day: null })
    expect(record.specialities?.length).toBe(10)
    expect(record.funding_data).toMatchObject({
      num_of_funding_rounds: 7,
      last_funding_round: { money_raised: null, announced_on: { year: 2021, month: 11, day: 16 } },
    })
    expect(record.affiliated_companies).toEqual([])
  })
})
