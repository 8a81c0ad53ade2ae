import type { CompanyMatch, PersonMatch } from '@vitae/contract'
import { expect, test } from 'vitest'
import { parseExpected } from '../../../src/lookup/asked/expectations.ts'
import { impliedBy, readCompanyInput, readPersonInput } from '../../../src/lookup/match-input.ts'

type Complain = (parameter: string) => (detail: string) => void

/** The parsed input, or the complaints. */
function reading<Read>(read: (complain: Complain) => Read): Read | string[] {
  const complaints: string[] = []
  const value = read((parameter) => (detail) => void complaints.push(`${parameter} ${detail}`))
  return complaints.length > 0 ? complaints : value
}
const person = (body: PersonMatch) => reading((complain) => readPersonInput(body, complain))
const company = (body: CompanyMatch) => reading((complain) => readCompanyInput(body, complain))

const tooLittle = 'email is missing: give an e-mail address, a phone number, a profile_id, or a name with a company'
const noDomain = 'must be a domain such as example.com'

test('the inputs of a person are normalised', () => {
  expect(
    person({
      email: ' Ada@Example.COM ',
      phone: '+49 30 901820',
      first_name: ' Ada  Maria ',
      last_name: 'Quill',
      company: ' Zoe\u0308 \u00a0Mills ',
      company_domain: 'https://www.zoemills.com/about',
      location: ' Hull ',
      min_likelihood: 0.9,
    }),
  ).toEqual({
    email: 'ada@example.com',
    phone: '+4930901820',
    name: 'Ada Maria Quill',
    first_name: 'Ada Maria',
    last_name: 'Quill',
    company: 'Zoë Mills',
    company_domain: 'zoemills.com',
    location: 'Hull',
    minLikelihood: 0.9,
  })
})

test('only sent inputs are present, with the default likelihood', () => {
  expect(Object.entries(person({ email: 'ada@example.com', company: '  ' }))).toEqual([
    ['email', 'ada@example.com'],
    ['minLikelihood', 0.8],
  ])
  expect(person({ email: 'ada@example.com', first_name: 'Ada' })).toEqual({
    email: 'ada@example.com',
    first_name: 'Ada',
    minLikelihood: 0.8,
  })
  expect(person({ phone: '+49 30 901820', last_name: 'Quill' })).toEqual({
    phone: '+4930901820',
    last_name: 'Quill',
    minLikelihood: 0.8,
  })
})

test('from a one-piece name the first and last word are taken, without titles and text in brackets', () => {
  const named = (name: string) => person({ name, company: 'Acme' })
  const rest = { company: 'Acme', minLikelihood: 0.8 }
  const whole = 'Dr. Ada Maria (Addy) Quill (née Stray), PhD'
  expect(named(whole)).toEqual({ name: whole, first_name: 'Ada', last_name: 'Quill', ...rest })
  expect(named('Ada Quill')).toEqual({ name: 'Ada Quill', first_name: 'Ada', last_name: 'Quill', ...rest })
  expect(named('Quill')).toEqual({ name: 'Quill', ...rest })
  const both = { name: 'Addy Quill', first_name: 'Ada', last_name: 'Quill', company: 'Acme' }
  expect(person(both)).toEqual({ ...both, minLikelihood: 0.8 })
})

test('unreadable input is reported, each by its name', () => {
  expect(person({ email: 'ada', phone: '12', company_domain: 'not a site' })).toEqual([
    'email must be an e-mail address',
    'phone must be a phone number with its country code: +49 30 ...',
    `company_domain ${noDomain}`,
  ])
})

test('a person is found by an address, a number, a profile_id, or a name with a company', () => {
  const name = { name: 'Ada Quill' }
  const enough: PersonMatch[] = [
    { profile_id: 'ada' },
    { ...name, company: 'Acme' },
    { ...name, company_domain: 'acme.com' },
    { ...name, company_id: '77' },
    { first_name: 'Ada', last_name: 'Quill', company: 'Acme' },
  ]
  for (const body of enough) expect(person(body)).toMatchObject({ minLikelihood: 0.8 })
  const few: PersonMatch[] = [
    {},
    name,
    { company: 'Acme' },
    { first_name: 'Ada', company: 'Acme' },
    { name: ' ', company: 'Acme' },
  ]
  for (const body of few) expect(person(body)).toEqual([tooLittle])
  expect(person({ ...name, company_domain: '' })).toEqual([`company_domain ${noDomain}`, tooLittle])
})

test('a company is found by a name, a domain or an id', () => {
  expect(company({ name: ' Acme  Corp ', domain: 'https://www.acme.com', country: 'de', min_likelihood: 0.5 })).toEqual(
    {
      name: 'Acme Corp',
      domain: 'acme.com',
      country: 'DE',
      minLikelihood: 0.5,
    },
  )
  expect(company({ domain: 'acme.com' })).toEqual({ domain: 'acme.com', minLikelihood: 0.8 })
  expect(company({ company_id: '77' })).toEqual({ minLikelihood: 0.8 })
  expect(company({ country: 'DE' })).toEqual(['name is missing: give a name, a domain or a company_id'])
  expect(company({ domain: 'not a site' })).toEqual([`domain ${noDomain}`])
})

test('further inputs are expectations of the record', () => {
  const minLikelihood = 0.8
  const names = { first_name: 'Ada', last_name: 'Quill' }
  const employer = { company: 'Acme', company_domain: 'acme.com' }
  expect(impliedBy('people', { ...names, ...employer, email: 'ada@example.com', minLikelihood })).toEqual({
    ...names,
    company_name: 'Acme',
    company_domain: 'acme.com',
  })
  expect(impliedBy('people', { email: 'ada@example.com', minLikelihood })).toBeNull()
  expect(impliedBy('companies', { name: 'Acme', domain: 'acme.com', country: 'DE', minLikelihood })).toEqual({
    company_name: 'Acme',
    company_domain: 'acme.com',
    country_code: 'DE',
  })
  expect(impliedBy('companies', { minLikelihood })).toBeNull()
})

const expected = (kind: 'people' | 'companies', values: Record<string, string>) =>
  reading((complain) => parseExpected(kind, (name) => values[name], complain))

test('expectations are parsed by the names of each kind', () => {
  const all = {
    first_name: ' Zoe\u0308 ',
    last_name: 'Quill',
    company_name: 'Acme',
    company_domain: 'acme.com',
    country_code: 'de',
  }
  expect(expected('people', all)).toEqual({ ...all, first_name: 'Zoë' })
  const { first_name: _first, last_name: _last, ...ofCompany } = all
  expect(expected('companies', ofCompany)).toEqual(ofCompany)
  expect(expected('companies', all)).toEqual([
    expect.stringContaining('expect.first_name is not known'),
    expect.stringContaining('expect.last_name is not known'),
  ])
  expect(expected('people', {})).toBeNull()
  expect(expected('people', { last_name: 'q'.repeat(200) })).toEqual({ last_name: 'q'.repeat(200) })
})

test('invalid expectations are reported', () => {
  const length = 'must be a text of 1 to 200 characters'
  expect(expected('people', { first_name: ' ', last_name: 'q'.repeat(201), company_domain: 'not a site' })).toEqual([
    `expect.first_name ${length}`,
    `expect.last_name ${length}`,
    `expect.company_domain ${noDomain}`,
  ])
  for (const code of ['D', 'DEU', 'D1'])
    expect(expected('people', { country_code: code })).toEqual(['expect.country_code must be two letters such as DE'])
})
