import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parsePartialDate } from '../src/index.ts'
import { date } from './people.ts'

const day = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T00:00:00Z'),
  noInvalidDate: true,
})
const partial = fc.tuple(day, fc.constantFrom(4, 7, 10)).map(([time, length]) => time.toISOString().slice(0, length))

test('the text and the object of a date are read alike', () => {
  fc.assert(
    fc.property(partial, (iso) => {
      expect(parsePartialDate(iso)).toEqual(parsePartialDate(date(iso)))
    }),
  )
})

test('a date keeps its given precision', () => {
  const precisions = { 4: 'year', 7: 'month', 10: 'day' }
  fc.assert(
    fc.property(partial, (iso) => {
      expect(parsePartialDate(iso)?.precision).toBe(precisions[iso.length as 4 | 7 | 10])
    }),
  )
})

test('a day is within a partial date exactly if it begins with it', () => {
  fc.assert(
    fc.property(partial, day, (iso, other) => {
      const parsed = parsePartialDate(iso)
      const midnight = new Date(`${other.toISOString().slice(0, 10)}T00:00:00Z`)
      const lies = parsed !== null && parsed.earliest <= midnight && midnight <= parsed.latest
      expect(lies).toBe(other.toISOString().startsWith(iso))
    }),
  )
})

test('the bounds of a date are days that it can mean', () => {
  expect(parsePartialDate('2024-02')).toEqual({
    year: 2024,
    month: 2,
    day: null,
    precision: 'month',
    earliest: new Date('2024-02-01T00:00:00Z'),
    latest: new Date('2024-02-29T00:00:00Z'),
  })
  expect(parsePartialDate({ year: 87 })?.latest.toISOString()).toBe('0087-12-31T00:00:00.000Z')
  expect(parsePartialDate({ year: 2019, month: null, day: 5 })).toMatchObject({ precision: 'year', day: null })
})

test('anything that is not a date is null', () => {
  const texts = ['', '2019-13', '2019-00', '2023-02-29', '2019-3', '19', '2019-03-07T00:00', 'March 2019', '0000']
  for (const text of texts) expect([text, parsePartialDate(text)]).toEqual([text, null])
  expect(parsePartialDate(null)).toBeNull()
  expect(parsePartialDate(undefined)).toBeNull()
  expect(parsePartialDate({ year: 2019.5, month: 1 })).toBeNull()
  expect(parsePartialDate({ year: 2019, month: 4, day: 31 })).toBeNull()
})
