import { expect, test } from 'vitest'
import {
  companyNamesContradict,
  personNamesContradict,
  type PersonName,
} from '../../../src/records/names/contradict.ts'

const person = (first: string | null, last: string | null): PersonName => ({ first, last })

test('two names of people contradict each other in both orders, and a missing part contradicts nothing', () => {
  const contradict = (one: PersonName, other: PersonName) => [
    personNamesContradict(one, other),
    personNamesContradict(other, one),
  ]
  expect(contradict(person('Otto', 'Stranger'), person('Mia', 'Merge'))).toEqual([true, true])
  expect(contradict(person('Otto', 'Quill'), person('Mia', 'Quill'))).toEqual([true, true])
  expect(contradict(person('Otto', 'Quill'), person('Otto', 'Tarnfeld'))).toEqual([true, true])
  expect(contradict(person('Bill', 'Quill'), person('William', 'Quill-Tarn'))).toEqual([false, false])
  expect(contradict(person('Quill', 'Ada'), person('Ada', 'Quill'))).toEqual([false, false])
  expect(contradict(person('Otto', null), person('Otto', 'Quill'))).toEqual([false, false])
  expect(contradict(person(null, null), person('Otto', 'Quill'))).toEqual([false, false])
})

test('two companies contradict each other by their sites, and by their names if a site is missing', () => {
  const company = (name: string | null, site: string | null = null) => ({ name, site })
  expect(companyNamesContradict(company('Harrow Mills'), company('Ostrava Linen'))).toBe(true)
  expect(companyNamesContradict(company('Harrow Mills'), company('Harrow Mills GmbH'))).toBe(false)
  expect(companyNamesContradict(company('Harrow Mills'), company(null))).toBe(false)
  const harrow = company('Harrow Mills', 'https://www.harrow.example/about')
  expect(companyNamesContradict(harrow, company('Ostrava Linen', 'harrow.example'))).toBe(false)
  expect(companyNamesContradict(harrow, company('Ostrava Linen', 'ostrava.example'))).toBe(true)
  expect(companyNamesContradict(harrow, company('Ostrava Linen', 'not a site'))).toBe(true)
})
