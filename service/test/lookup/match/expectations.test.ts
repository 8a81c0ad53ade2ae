import { emptyPerson, type Person } from '@vitae/contract'
import { expect, test } from 'vitest'
import { contradictions, type Expected } from '../../../src/lookup/match/expectations.ts'
import { same, different, unsure, type Pair } from './labelled-pairs.ts'

function bodyOf({ first, last, employers, country }: Pair['record']): Buffer {
  const empty = emptyPerson('urn:vitae:person:0000000000000000', 'urn:vitae:profile:0000000000000000')
  const jobs = (employers ?? []).map((company_name) => ({ company_name }))
  const record = { ...empty, first_name: first, last_name: last, experience: jobs }
  return Buffer.from(
    JSON.stringify({ ...record, location: { ...empty.location, country_code: country ?? null } } as Person),
  )
}

const contradicted = ({ row, record }: Pair) => contradictions(row, bodyOf(record)).length > 0

test('no right person is refused: precision of contradictions is 1.00 over the labelled pairs', () => {
  expect([...same, ...unsure].filter(contradicted)).toEqual([])
})

test('nine of ten strangers are recognised', () => {
  const found = different.filter(contradicted).length
  expect(found / different.length).toBeGreaterThan(0.9)
})

test('what a record does not say contradicts nothing', () => {
  const everything: Expected = { first_name: 'Ada', last_name: 'Quill', company_name: 'Tidewater', country_code: 'DE' }
  expect(contradictions(everything, bodyOf({ first: null, last: null }))).toEqual([])
})

test('there are 500 labelled pairs, in several scripts', () => {
  expect(same.length + different.length + unsure.length).toBeGreaterThanOrEqual(500)
})
