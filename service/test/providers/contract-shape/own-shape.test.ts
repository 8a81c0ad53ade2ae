import type { Kind, Person } from '@vitae/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findProjector } from '../../../src/providers/find-projector.ts'
import { expectContractRules } from '../../contract-rules.ts'
import { anyRecord } from '../any-record.ts'
import { mutated, runs, type Json } from '../mutations.ts'

function project(name: string, kind: Kind, value: unknown) {
  const projector = findProjector(name)
  if (!projector) throw new Error(`no projector ${name}`)
  return projector.project(kind, new TextEncoder().encode(JSON.stringify(value)))
}

function experienceOf(experience: unknown): Person['experience'] {
  const { record } = project('import', 'people', { member_urn: 'urn:li:member:1', experience })
  return 'experience' in record ? record.experience : []
}

describe.each(['mirror', 'directory', 'import'])('records of the %s', (name) => {
  test.each(['people', 'companies'] as const)('obey the rules of the contract whatever %s come in', (kind) => {
    fc.assert(
      fc.property(mutated(anyRecord(kind) as fc.Arbitrary<Json>), (value) => {
        const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value)
        if (isRecord) expectContractRules(kind, project(name, kind, value).record)
      }),
      { numRuns: runs },
    )
  })

  test.each(['people', 'companies'] as const)('stay as they are when %s are read once more', (kind) => {
    fc.assert(
      fc.property(anyRecord(kind), (value) => {
        const { record } = project(name, kind, value)
        const again = project(name, kind, record)
        expect(again.record).toEqual(record)
        expect(again.unread).toEqual([])
      }),
      { numRuns: 200 },
    )
  })
})

test('one company is one group, newest position first, and the current company is first', () => {
  const job = (title: string, start: number, end: number | null) => ({
    title,
    date_range: { start: { year: start }, end: end === null ? null : { year: end } },
  })
  const groups = experienceOf([
    { company_id: 7, company_name: 'Quay', positions: [job('clerk', 2001, 2004), job('pilot', 2004, 2009)] },
    { company_id: '8', company_name: 'Rope', positions: [job('walker', 2009, null)] },
    { company_id: '7', company_name: 'Quay', positions: [job('captain', 2010, 2012)] },
  ])

  expect(groups.map((group) => [group.company_id, group.positions.map(({ title }) => title)])).toEqual([
    ['8', ['walker']],
    ['7', ['captain', 'pilot', 'clerk']],
  ])
})

test('codes, currencies, amounts and ids take the contract form', () => {
  const { record, unread } = project('import', 'companies', {
    company_id: 1441,
    platform_url: 'https://uk.linkedin.com/company/quay/?trk=x',
    locations: {
      headquarter: { country: 'GERMANY', city: 'Kiel' },
      all_locations: [{ country: 'DE', city: 'Kiel' }, { country: 'Elsewhere' }],
    },
    industries: [{ id: 4, name: 'Ships' }],
    funding_data: { last_funding_round: { money_raised: { amount: 1_000_000.4, currency: 'EUR' } } },
  })

  expect(record).toMatchObject({
    company_id: '1441',
    platform_url: 'https://www.linkedin.com/company/quay',
    locations: {
      headquarter: { country: 'de', is_headquarter: true },
      all_locations: [{ country: 'de', is_headquarter: true }, { country: null }],
    },
    industries: [{ id: '4', name: 'Ships' }],
    funding_data: { last_funding_round: { money_raised: { amount: 1_000_000, currency: 'eur' } } },
  })
  expect(unread).toEqual(['locations.country'])
})

test.each([
  ['people', { skills: 'sewing' }, 'skills'],
  ['people', { first_name: true }, 'first_name'],
  ['people', { location: [] }, 'location'],
  ['people', { is_memorialized: 'false' }, 'is_memorialized'],
  ['people', { experience: [{ company_name: 'Quay', positions: [7] }] }, 'experience.positions'],
  ['people', { education: [{ date_range: { start: 'long ago' } }] }, 'education.date_range.start'],
  ['companies', { followers_count: 'many' }, 'followers_count'],
  ['companies', { industries: { id: '4' } }, 'industries'],
  ['companies', { staff_info: { staff_range: '11-50' } }, 'staff_info.staff_range'],
] as const)('a field of %s that cannot be read costs that field alone and is named: %j', (kind, fields, field) => {
  const whole = { member_urn: 'urn:li:member:1', company_id: '1', public_identifier: 'ada' }

  const { record, unread } = project('import', kind, { ...whole, ...fields })

  expect(unread).toEqual([field])
  expect(record.public_identifier).toBe('ada')
  expectContractRules(kind, record)
})
