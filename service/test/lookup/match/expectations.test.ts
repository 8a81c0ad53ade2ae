import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyCompany, emptyPerson, type Company, type Person } from '@vitae/contract'
import { expect, test } from 'vitest'
import { contradictions, type Expected } from '../../../src/lookup/asked/expectations.ts'
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

test('none of the labelled right people is refused', () => {
  expect([...same, ...unsure].filter(contradicted)).toEqual([])
})

test('strangers are recognised in every script, as often as the guide says', () => {
  const found = different.filter(contradicted)
  const guide = readFileSync(join(import.meta.dirname, '../../../../docs/lab/match-quality.md'), 'utf8')
  const scripts = new Set(found.map(({ row }) => scriptOf(`${row.first_name ?? ''} ${row.last_name ?? ''}`)))

  expect(guide).toContain(
    `${same.length + different.length + unsure.length} pairs: ${same.length} of the same person, ${different.length} of different ones, ${unsure.length} that nobody could tell`,
  )
  expect(found).toHaveLength(different.length)
  expect([...scripts]).toEqual(
    expect.arrayContaining(['Latin', 'Cyrillic', 'Greek', 'Arabic', 'Han', 'Hangul', 'Katakana']),
  )
})

test('a missing fact contradicts nothing', () => {
  const everything: Expected = { first_name: 'Ada', last_name: 'Quill', company_name: 'Tidewater', country_code: 'DE' }
  expect(contradictions(everything, bodyOf({ first: null, last: null }))).toEqual([])
})

test('there are at least 500 labelled pairs, without duplicates', () => {
  const pairs = [...same, ...different, ...unsure].map((pair) => JSON.stringify(pair))
  expect(new Set(pairs).size).toBeGreaterThanOrEqual(500)
  expect(pairs.filter((pair, at) => pairs.indexOf(pair) !== at)).toEqual([])
})

const person = (over: Partial<Person>) => Buffer.from(JSON.stringify({ ...emptyPerson('urn:1', 'urn:2'), ...over }))

test('in the other name whole words count, and initials do not', () => {
  const body = person({ first_name: 'Quill', last_name: 'Ada' })
  expect(contradictions({ first_name: 'Ada', last_name: 'Quill' }, body)).toEqual([])
  const initials = person({ first_name: 'Grace Q', last_name: 'A Tarnfeld' })
  expect(contradictions({ first_name: 'Ada', last_name: 'Quill' }, initials)).toEqual(['first_name', 'last_name'])
  const single = person({ first_name: 'Ada', last_name: null })
  expect(contradictions({ first_name: 'Sybil' }, single)).toEqual(['first_name'])
})

test('an employer is searched in the jobs, the schools and the headline of a person with a job', () => {
  const job = [{ company_name: 'Harrow Mills' }] as Person['experience']
  const school = [{ school_name: 'Fenwick College' }] as Person['education']
  const wanted = { company_name: 'Fenwick College' }
  expect(contradictions(wanted, person({}))).toEqual([])
  expect(contradictions(wanted, person({ experience: [{ company_name: null }] as Person['experience'] }))).toEqual([])
  expect(contradictions(wanted, person({ experience: job }))).toEqual(['company_name'])
  expect(contradictions(wanted, person({ experience: job, education: school }))).toEqual([])
  expect(contradictions(wanted, person({ experience: job, headline: 'Joining Fenwick College' }))).toEqual([])
  expect(contradictions({ company_domain: 'fenwick.example' }, person({ experience: job }))).toEqual([])
})

test('a country is compared by its code, in any notation', () => {
  const { location } = emptyPerson('urn:1', 'urn:2')
  const british = person({ location: { ...location, country_code: 'gb' } })
  expect(contradictions({ country_code: 'uk' }, british)).toEqual([])
  expect(contradictions({ country_code: 'GB' }, british)).toEqual([])
  expect(contradictions({ country_code: 'DE' }, british)).toEqual(['country_code'])
  expect(contradictions({ country_code: 'DE' }, person({}))).toEqual([])
  // The two letters mean Great Britain, not a part of a longer code.
  const longer = (code: string) => person({ location: { ...location, country_code: code } })
  expect(contradictions({ country_code: 'GBR' }, longer('UKR'))).toEqual(['country_code'])
  expect(contradictions({ country_code: 'AGB' }, longer('AUK'))).toEqual(['country_code'])
})

test('a company is compared by its name, its site and any of its places', () => {
  const body = (over: object) => Buffer.from(JSON.stringify({ ...emptyCompany(), ...over } as Company))
  const wanted: Expected = {
    first_name: 'Ada',
    last_name: 'Quill',
    company_name: 'Harrow Mills',
    company_domain: 'harrowmills.com',
    country_code: 'DE',
  }
  expect(contradictions(wanted, body({}))).toEqual([])
  const places = { headquarter: { country: 'FR' }, all_locations: [{ country: 'AT' }, { country: null }, {}] }
  const other = { company_name: 'Ostrava Linen', company_url: 'https://ostravalinen.com/about', locations: places }
  expect(contradictions(wanted, body(other))).toEqual(['company_name', 'company_domain', 'country_code'])
  expect(contradictions({ country_code: 'AT' }, body(other))).toEqual([])
  expect(contradictions({ country_code: 'FR' }, body(other))).toEqual([])
  expect(contradictions({ country_code: 'DE' }, body({ locations: { headquarter: { country: 'FR' } } }))).toEqual([
    'country_code',
  ])
  expect(contradictions(wanted, body({ locations: { headquarter: { country: null } } }))).toEqual([])
  expect(contradictions(wanted, body({ company_name: 'Harrow Mills', company_url: 'not a site' }))).toEqual([])
})

/** The pairs, in both orders, that a company record contradicts or does not. `/` separates a pair, `|` two pairs. */
function companies(text: string, contradicted: boolean): string[] {
  const differ = (given: string, known: string) => {
    const body = Buffer.from(JSON.stringify({ ...emptyCompany(), company_name: known }))
    return contradictions({ company_name: given }, body).length > 0
  }
  return text.split('|').filter((pair) => {
    const [one = '', other = ''] = pair.split('/').map((name) => name.trim())
    return differ(one, other) !== contradicted || differ(other, one) !== contradicted
  })
}

test('legal forms and very common words do not count, unless there is nothing else', () => {
  const same = 'Harrow Mills GmbH / Harrow Mills Ltd. | Harrow S.A. / Harrow Group | — / Harrow | The Group / Group Ltd'
  expect(companies(same, false)).toEqual([])
  const others =
    'Harrow AG / Tarnfeld AG | Harrow Holding / Tarnfeld Holding | Harrow Limited / Tarnfeld Limited | Harrow plc / Tarnfeld plc | Harrow Solutions / Tarnfeld Solutions | Harrow und Quill / Tarnfeld und Mills | The Global Group / Tarnfeld'
  expect(companies(others, true)).toEqual([])
})

test('a company matches with its words joined, one of its words, or its abbreviation', () => {
  const same =
    'Harrow Mills / HarrowMills | Harrow / Harrow Mills | Harow Mills / Harrow | IBM / International Business Machines | I.B.M. / International Business Machines | VW / Volkswagen'
  expect(companies(same, false)).toEqual([])
  const others =
    'H Quill / H Tarnfeld | H Quill / Harbour Tarn | WV / Volkswagen | TM / Quill Tarn and Mills | Bsnsmc / Business Machines | OW / Volkswagen | VX / Volkswagen | Bsnsmch / Business Machines | VWX / Volkswagen | Quill / Tarnfeld'
  expect(companies(others, true)).toEqual([])
})

test('single letters form a word or an abbreviation together, and dots in a legal form do not count', () => {
  const same =
    'T A R N W O L D / Tarnwold | T A R N W O L D / Tarnwold Marsh | Q T M / Quill Tarn Mills | VW S.p.A. / Volkswagen'
  expect(companies(same, false)).toEqual([])
  expect(companies('T A R N W O L D / Fenwicktarn | Q M T / Quill Tarn Mills | Qyk / Quill Tarn', true)).toEqual([])
})

test("two sites belong to one company by their name under any ending, or by the company's name", () => {
  const differ = (given: string, known: string, name: string | null = null) => {
    const record = { ...emptyCompany(), company_name: name, company_url: `https://${known}` }
    return contradictions({ company_domain: given }, Buffer.from(JSON.stringify(record))).length > 0
  }
  expect([differ('acme.com', 'acme.com'), differ('acme.de', 'acme.com'), differ('acme.co.uk', 'www.acme.com')]).toEqual(
    [false, false, false],
  )
  expect([differ('harrow.com', 'acme.com'), differ('harrow.com', 'acme.com', 'Tarnfeld')]).toEqual([true, true])
  expect(differ('harrow.com', 'acme.com', 'Harrow Mills')).toBe(false)
  // For shared hosts the name counts, and a text that is not a domain contradicts nothing.
  expect(differ('harrow.github.io', 'acme.github.io')).toBe(true)
  expect([differ('localhost', 'acme.com'), differ('com', 'acme.com')]).toEqual([false, false])
})
