import { expect, test } from 'vitest'
import type { MatchInput } from '../../../src/foundation/identifier.ts'
import { sampleOf } from '../../../src/lookup/match-input.ts'

const asked = (kind: 'people' | 'companies', input: Partial<MatchInput>) =>
  sampleOf({ kind, input: { minLikelihood: 0.8, ...input }, named: null })
const slug = (kind: 'people' | 'companies', input: Partial<MatchInput>) => {
  const sample = asked(kind, input)
  return 'failure' in sample ? sample.failure : sample.identifier.value
}

test('reserved addresses and domains play their situations', () => {
  for (const [reserved, code] of [
    ['sample-not-found', 'no_match'],
    ['sample-ambiguous', 'ambiguous_match'],
    ['sample-mismatch', 'identity_mismatch'],
  ] as const) {
    expect(asked('people', { email: `${reserved}@example.com` })).toEqual({ failure: code })
    expect(asked('companies', { domain: `${reserved}.example` })).toEqual({ failure: code })
    // A situation ignores the minimum likelihood.
    expect(asked('people', { email: `${reserved}@example.com`, minLikelihood: 1 })).toEqual({ failure: code })
  }
  expect(asked('people', { email: 'sample-person@example.com' })).toEqual({
    identifier: { kind: 'people', type: 'slug', value: 'sample-person' },
    likelihood: 0.95,
    matchedOn: ['email'],
  })
  for (const email of ['sample-person@example.community', 'a-sample-person@example.com', 'sample-9@example.com'])
    expect(slug('people', { email })).toMatch(/^matched-[\da-f]{12}$/)
})

test('every other question returns one fictional record', () => {
  const questions: Partial<MatchInput>[] = [
    { email: 'ada@example.com' },
    { phone: '+4930901820' },
    { name: 'Ada Quill' },
    { company: 'Acme' },
    { domain: 'acme.com' },
  ]
  const slugs = questions.map((input) => slug('people', input))
  expect(new Set(slugs).size).toBe(slugs.length)
  expect(questions.map((input) => slug('people', { ...input, location: 'Hull' }))).toEqual(slugs)
  for (const one of slugs) expect(one).toMatch(/^matched-[\da-f]{12}$/)
})

test('stronger input has a higher likelihood', () => {
  const sure = (kind: 'people' | 'companies', input: Partial<MatchInput>) => {
    const sample = asked(kind, input)
    return 'failure' in sample
      ? sample.failure
      : [sample.identifier.kind, sample.identifier.type, sample.likelihood, ...sample.matchedOn]
  }
  expect(sure('people', { email: 'ada@example.com', phone: '+4930901820' })).toEqual(['people', 'slug', 0.95, 'email'])
  expect(sure('people', { phone: '+4930901820' })).toEqual(['people', 'slug', 0.9, 'phone'])
  expect(sure('people', { name: 'Ada', company: 'Acme' })).toEqual(['people', 'slug', 0.8, 'name', 'company'])
  expect(sure('people', { name: 'Ada', company_domain: 'acme.com', minLikelihood: 0.85 })).toEqual([
    'people',
    'slug',
    0.85,
    'name',
    'company_domain',
  ])
  expect(sure('companies', { domain: 'acme.com' })).toEqual(['companies', 'slug', 0.9, 'domain'])
  expect(sure('companies', { name: 'Acme' })).toEqual(['companies', 'slug', 0.8, 'name'])
  expect(sure('companies', { name: 'Acme', minLikelihood: 0.81 })).toBe('no_match')
})

test('an id returns itself', () => {
  for (const [kind, on] of [
    ['people', 'profile_id'],
    ['companies', 'company_id'],
  ] as const) {
    const named = { kind, type: 'slug' as const, value: 'ada' }
    const input = { email: 'sample-not-found@example.com', minLikelihood: 1 }
    expect(sampleOf({ kind, input, named })).toEqual({ identifier: named, likelihood: 1, matchedOn: [on] })
  }
})
