import { kinds, type Company, type Kind, type Person } from '@vitae/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseIdentifier, companyPageOf } from '../../src/records/identifiers/parse-identifier.ts'
import { sampleAnswer, type SampleRecord, samplePerson } from '../../src/samples/sample-answer.ts'
import { sampleCompany } from '../../src/samples/sample-company.ts'
import type { Identifier } from '../../src/foundation/identifier.ts'
import { expectContractRules } from '../contract-rules.ts'
import { expectConsistentCompany, expectConsistentPerson } from '../fiction-rules.ts'

const person = (text: string): Person => samplePerson(parseIdentifier('people', text))
const company = (text: string): Company => sampleCompany(parseIdentifier('companies', text), companyPageOf(text))

function recordOf(kind: Kind, slug: string): SampleRecord {
  const answer = sampleAnswer(parseIdentifier(kind, slug))
  if ('failure' in answer) throw new Error(answer.failure)
  return answer
}

const many = { numRuns: 400 }
const slugs = fc.oneof(
  fc.stringMatching(/^[a-z][a-z\d-]{0,40}$/),
  fc.stringMatching(/^[\u3041-\u3096\u0430-\u044f\u4e00-\u9fa5]{1,30}$/),
)
const people = fc.oneof(slugs, fc.stringMatching(/^ACoAA[A-Za-z\d_-]{34}$/), fc.stringMatching(/^[1-9]\d{0,9}$/))
const companies = fc.oneof(slugs, fc.stringMatching(/^[1-9]\d{0,299}$/), fc.stringMatching(/^vitae-[\da-f]{16}$/))

describe('any identifier', () => {
  test('returns a contract person, the same one every time, with consistent parts', () => {
    fc.assert(
      fc.property(people, (text) => {
        const record = person(text)
        expectContractRules('people', record)
        expectConsistentPerson(record)
        expect(JSON.stringify(person(text))).toBe(JSON.stringify(record))
        expect(record.experience[0]?.positions.length).toBeGreaterThan(0)
        expect(studiesBeforeWork(record)).toBe(true)
      }),
      many,
    )
  })

  test('returns a contract company, the same one every time, with consistent parts', () => {
    fc.assert(
      fc.property(companies, (text) => {
        const record = company(text)
        expectContractRules('companies', record)
        expectConsistentCompany(record)
        expect(JSON.stringify(company(text))).toBe(JSON.stringify(record))
        expect(record.company_name).toBeTruthy()
      }),
      many,
    )
  })

  test('is in its record, and the page URL returns it again', () => {
    fc.assert(
      fc.property(slugs, (slug) => {
        expect(person(slug).public_identifier).toBe(slug)
        expect(parseIdentifier('people', person(slug).profile_url ?? '').value).toBe(slug)
        expect(company(slug).public_identifier).toBe(slug)
        expect(parseIdentifier('companies', company(slug).platform_url ?? '').value).toBe(slug)
      }),
    )
    expect(company('1441').company_id).toBe('1441')
    expect(company('vitae-0123456789abcdef').company_id).toBe('vitae-0123456789abcdef')
    expect(person('ACoAAB1cDeFgH').entity_urn).toBe('urn:li:fsd_profile:ACoAAB1cDeFgH')
  })

  test('returns the same entity by every name in its record', () => {
    fc.assert(
      fc.property(slugs, (slug) => {
        const one = person(slug)
        const byMemberId = person(one.entity_urn?.split(':').at(-1) ?? '')
        expect(byMemberId.member_urn).toBe(one.member_urn)
        expect(person(byMemberId.public_identifier ?? '')).toEqual(byMemberId)

        const byNumber = company(company(slug).company_id ?? '')
        expect(byNumber).toEqual({
          ...company(slug),
          public_identifier: byNumber.public_identifier,
          platform_url: byNumber.platform_url,
        })
        expect(company(byNumber.public_identifier ?? '')).toEqual(byNumber)
      }),
    )
  })

  test('may be any text: no sample throws', () => {
    const types = fc.constantFrom<Identifier['type']>('slug', 'id', 'opaque', 'urn', 'domain')
    const halfPairs = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code))
    const anyText = fc.oneof(fc.string(), fc.string({ unit: halfPairs }))
    fc.assert(
      fc.property(fc.constantFrom(...kinds), types, anyText, (kind, type, value) => {
        expect(() => JSON.stringify(sampleAnswer({ kind, type, value }))).not.toThrow()
      }),
      many,
    )
  })

  test('returns people whose employers and schools are companies with matching facts', () => {
    fc.assert(
      fc.property(people, (text) => {
        const { experience, education } = person(text)
        expect(new Set(experience.map((group) => group.company_id)).size).toBe(experience.length)
        expect(new Set(experience.map((group) => group.company_name)).size).toBe(experience.length)
        for (const group of experience) {
          const employer = company(group.company_id ?? '')
          expect(employer).toEqual(company(group.company_url ?? ''))
          expect(employer.company_name).toBe(group.company_name)
          expect(employer.industries?.[0]?.name).toBe(group.company_industry)
          const unknown = { start: null, end: null }
          expect(employer.staff_info?.staff_range ?? unknown).toEqual(group.company_employee_count_range)
        }
        for (const study of education) {
          const school = company(study.school_id ?? '')
          expect(school).toEqual(company(study.school_url ?? ''))
          expect(school.company_name).toBe(study.school_name)
          expect(school.company_type?.type_code).toBe('EDUCATIONAL')
        }
      }),
    )
  })

  test('leaves fields empty that the provider does not supply', () => {
    fc.assert(
      fc.property(people, (text) => {
        const { network_info: network, contact_info: contact } = person(text)
        expect(network).toBeNull()
        expect(contact).toMatchObject({ email_address: null, phone_numbers: [], websites: [], twitter_handles: [] })
      }),
    )
  })
})

describe('reserved identifiers', () => {
  test.each([
    ['sample-not-found', { failure: 'not_found' }],
    ['sample-out-of-credits', { failure: 'out_of_credits' }],
    ['sample-ceiling-reached', { failure: 'credit_ceiling_reached' }],
    ['sample-forbidden', { failure: 'project_suspended' }],
    ['sample-rate-limited', { failure: 'rate_limit_exceeded', retryAfterSeconds: expect.any(Number) }],
    ['sample-upstream-down', { failure: 'upstream_unavailable', retryAfterSeconds: expect.any(Number) }],
  ])('%s fails at both endpoints', (slug, failure) => {
    for (const kind of kinds) expect(sampleAnswer(parseIdentifier(kind, slug))).toEqual(failure)
  })

  test.each([
    ['anything-else', null, true],
    ['sample-stored', 259_200_000, true],
    ['sample-stale', 777_600_000, false],
    ['sample-sparse', null, true],
    ['sample-complete', null, true],
  ])('%s has a stored copy that is %s ms old at both endpoints', (slug, copyAgeMs, isProviderUp) => {
    for (const kind of kinds) {
      const answer = recordOf(kind, slug)
      expect(answer).toMatchObject({ copyAgeMs, isProviderUp, thin: slug === 'sample-sparse' })
      expectContractRules(kind, answer.record)
    }
  })

  test('sample-sparse is null wherever allowed, and has only empty lists', () => {
    expect(new Set(Object.values(company('sample-sparse')))).toEqual(new Set([null]))
    const { member_urn: key, entity_urn: other, ...rest } = person('sample-sparse')
    expect(key).toMatch(/^urn:li:member:8\d{8}$/)
    expect(other).toMatch(/^urn:li:fsd_profile:ACoAA/)
    expect(rest.contact_info?.websites).toEqual([])
    for (const leaf of leaves(rest)) expect([null, false]).toContain(leaf)
  })

  test('sample-complete has nothing empty except ends of current items and days of coarse dates', () => {
    for (const kind of kinds) {
      const empty = emptyPaths(recordOf(kind, 'sample-complete').record)
      expect(empty.filter((path) => !/date_range\.end$|date_range\.(start|end)\.(month|day)$/.test(path))).toEqual([])
    }
  })

  test('sample-promoted has one employer and several positions', () => {
    const { experience } = person('sample-promoted')
    expect(experience).toHaveLength(1)
    expect(experience[0]?.positions.length).toBeGreaterThan(2)
    expect(new Set(experience[0]?.positions.map((position) => position.title)).size).toBeGreaterThan(2)
    expectConsistentPerson(person('sample-promoted'))
  })

  test('sample-memorialized is memorialized and works nowhere', () => {
    const record = person('sample-memorialized')
    expect(record.is_memorialized).toBe(true)
    expect(record.experience.every((group) => group.date_range?.end !== null)).toBe(true)
    expectContractRules('people', record)
    expectConsistentPerson(record)
  })

  test('sample-showcase is a showcase page of another company', () => {
    const record = company('sample-showcase')
    expect(record.is_showcase).toBe(true)
    expect(record.affiliated_companies).toMatchObject([{ is_showcase: false }])
    expectContractRules('companies', record)
  })

  test('sample-auto-generated is an unclaimed page with little more than a name', () => {
    const { record, thin } = recordOf('companies', 'sample-auto-generated')
    expect(record).toMatchObject({ auto_generated: true, claimable: true, description: null, industries: null })
    expect(thin).toBe(true)
    expectContractRules('companies', record)
  })

  test('sample-funded raised more than 32 bits can hold', () => {
    const record = company('sample-funded')
    expect(record.funding_data?.last_funding_round?.money_raised?.amount).toBeGreaterThan(2 ** 32)
    expectContractRules('companies', record)
    expectConsistentCompany(record)
  })

  test('situations of one kind are ordinary slugs of the other', () => {
    expect(person('sample-funded').experience.length).toBeGreaterThan(0)
    expect(company('sample-memorialized').is_showcase).toBe(false)
  })
})

function studiesBeforeWork({ education, experience }: Person): boolean {
  const began = Math.min(...experience.map((group) => group.date_range?.start?.year ?? 0))
  return education.every((study) => (study.date_range?.end?.year ?? 0) <= began)
}

function leaves(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [value]
}

/** The paths whose value is null or an empty list. */
function emptyPaths(value: unknown, path: string[] = []): string[] {
  if (value === null || (Array.isArray(value) && value.length === 0)) return [path.join('.')]
  if (typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, inner]) => emptyPaths(inner, [...path, key]))
}
