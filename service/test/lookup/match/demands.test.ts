import { emptyPerson } from '@vitae/contract'
import { expect, test } from 'vitest'
import { demandsOf, lackFailure, lacksOf } from '../../../src/lookup/recall/demands.ts'

const person = (over: object) => ({
  body: Buffer.from(JSON.stringify({ ...emptyPerson('urn:vitae:person:1', 'urn:vitae:profile:1'), ...over })),
})
const ada = person({ first_name: 'Ada', last_name: 'Quill', headline: 'Tide tables' })
const sure = (likelihood: number) => ({ ...ada, match: { likelihood, matchedOn: ['email' as const] } })

test('demands are words in a fixed order, and empty if any record will do', () => {
  expect(demandsOf({})).toEqual([])
  expect(demandsOf({ require: null, expect: null, minLikelihood: null })).toEqual([])
  const expected = { country_code: 'DE', first_name: 'Ada', last_name: '' }
  expect(demandsOf({ require: ['headline'], expect: expected, minLikelihood: 0.8 })).toEqual([
    'headline',
    'expect.first_name=Ada',
    'expect.country_code=DE',
    'min_likelihood=0.8',
  ])
})

test('a record fails demands by missing fields, contradictions and a low likelihood', () => {
  expect(lacksOf(ada, {})).toEqual([])
  expect(lacksOf(ada, { require: ['headline'], expect: { first_name: 'Ada' }, minLikelihood: 0.8 })).toEqual([])
  expect(lacksOf(sure(0.8), { minLikelihood: 0.8 })).toEqual([])
  expect(lacksOf(sure(0.1), {})).toEqual([])
  expect(
    lacksOf(sure(0.79), {
      require: ['summary', 'headline'],
      expect: { first_name: 'Grace', last_name: 'Quill' },
      minLikelihood: 0.8,
    }),
  ).toEqual(['summary', 'expect.first_name=Grace Quill', 'min_likelihood=0.8'])
})

test("a record's own job counts even if another version has filled the list of jobs", () => {
  const at = (name: string) => ({ company_name: name, company_id: '1', date_range: null, positions: [] })
  const filledOver = (experience: object[]) => {
    const fills = [{ unit: 'experience', versionId: 1, provider: 'coresignal', fetchedAt: 0 }]
    const base = { ...person({ experience }), thin: false, parts: [] }
    // Only its body is read.
    return {
      ...person({ experience: [at('Bank of China')] }),
      fold: { id: null, fills, base },
    } as unknown as typeof ada
  }
  const expected = { expect: { company_name: 'Bank of America' } }

  expect(lacksOf(filledOver([at('Bank of America')]), expected)).toEqual([])
  expect(lacksOf(filledOver([at('Oxford Press')]), expected)).toEqual(['expect.company_name=Bank of America'])
  expect(lacksOf(filledOver([]), expected)).toEqual(['expect.company_name=Bank of America'])
})

test('an unsatisfied call gets missing fields first, then contradictions, otherwise nothing', () => {
  const all = ['summary', 'expect.first_name=Grace=Murray', 'expect.country_code=DE', 'min_likelihood=0.8']
  const told = (lacks: string[]) => {
    const { code, message, details } = lackFailure(lacks)
    return { code, message, errors: details.errors }
  }
  expect(told(all)).toEqual({
    code: 'required_fields_missing',
    message: 'No provider has summary for this record.',
    errors: [{ parameter: 'require', detail: 'summary' }],
  })
  expect(told(all.slice(1))).toEqual({
    code: 'identity_mismatch',
    message: 'The record under this identifier contradicts expect.first_name.',
    errors: [{ parameter: 'expect.first_name', detail: 'is contradicted' }],
  })
  expect(told(all.slice(3))).toEqual({
    code: 'not_found',
    message: 'No record is known under this identifier.',
    errors: undefined,
  })
})
