import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyPerson, type Person } from '@vitae/contract'
import { expect, test } from 'vitest'
import { contradictions, type Expected } from '../../../src/lookup/match/expectations.ts'
import { same, different, unsure, scriptOf, type Pair } from './labelled-pairs.ts'

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

test('strangers are recognised in every script, as often as the guide says', () => {
  const found = different.filter(contradicted)
  const guide = readFileSync(join(import.meta.dirname, '../../../../docs/guides/matching.md'), 'utf8')
  const scripts = new Set(found.map(({ row }) => scriptOf(`${row.first_name ?? ''} ${row.last_name ?? ''}`)))

  expect(guide).toContain(
    `${same.length + different.length + unsure.length} pairs: ${same.length} of the same person, ${different.length} of different ones, ${unsure.length} that nobody could tell`,
  )
  expect(guide).toContain(`recall ${(found.length / different.length).toFixed(2)}`)
  expect([...scripts]).toEqual(
    expect.arrayContaining(['Latin', 'Cyrillic', 'Greek', 'Arabic', 'Han', 'Hangul', 'Katakana']),
  )
})

test('what a record does not say contradicts nothing', () => {
  const everything: Expected = { first_name: 'Ada', last_name: 'Quill', company_name: 'Tidewater', country_code: 'DE' }
  expect(contradictions(everything, bodyOf({ first: null, last: null }))).toEqual([])
})

test('there are 500 labelled pairs and more, none of them twice', () => {
  const pairs = [...same, ...different, ...unsure].map((pair) => JSON.stringify(pair))
  expect(new Set(pairs).size).toBeGreaterThanOrEqual(500)
  expect(pairs.filter((pair, at) => pairs.indexOf(pair) !== at)).toEqual([])
})
