import type { DateRange, PartialDate } from '@vitae/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  compareDates,
  dateRange,
  saysEnded,
  issuedRange,
  parseFoundedDate,
  parsePartialDate,
  personDate,
  singleDate,
  withoutDay,
  yearOnly,
} from '../../src/mapping/partial-date.ts'

const periodOf = (range: DateRange | null) => range && `${range.start?.iso ?? ''}..${range.end?.iso ?? ''}`

const long = 'January February March April May June July August September October November December'.split(' ')
const date = (year: number, month: number | null = null, day: number | null = null): PartialDate => ({
  year,
  month,
  day,
})

const year = fc.integer({ min: 1601, max: 2100 })
const month = fc.integer({ min: 1, max: 12 })
const anyDate: fc.Arbitrary<PartialDate> = fc.oneof(
  year.map((y) => date(y)),
  fc.tuple(year, month).map(([y, m]) => date(y, m)),
  fc.tuple(year, month, fc.integer({ min: 1, max: 28 })).map(([y, m, d]) => date(y, m, d)),
)

test.each([
  ['Aug 2019', date(2019, 8)],
  ['2000', date(2000)],
  ['February 2021', date(2021, 2)],
  ['2019-11-24', date(2019, 11, 24)],
  ['2019-11', date(2019, 11)],
  ['2019-10-01T00:00:00.000Z', date(2019, 10, 1)],
  ['2023-10-26T11:34:30Z', date(2023, 10, 26)],
  ['2023-10-26 11:34:30', date(2023, 10, 26)],
  [1997, date(1997)],
  [{ year: 2024, month: 'Jan', text: 'Jan 2024' }, date(2024, 1)],
  [{ year: '2024', month: '03', day: '7' }, date(2024, 3, 7)],
  [{ day: 31, month: 12, year: 2014 }, date(2014, 12, 31)],
  [{ text: 'Sept 2020' }, date(2020, 9)],
  ['Issued Oct 2017See credential', date(2017, 10)],
  ['Issued 2017See credential', date(2017)],
  ['Issued Sep 2023 · Expires Sep 2026', date(2023, 9)],
  ['Annals of Fog · Sep 5, 2023', date(2023, 9, 5)],
  ['Mar 2019 · 1 mo', date(2019, 3)],
  ['May 28, 2020', date(2020, 5, 28)],
  ['5th March 2020', date(2020, 3, 5)],
  ['12/2019', date(2019, 12)],
  ['2000 - Present 24 years', date(2000)],
  ['2019-13', date(2019)],
  ['2019-02-30', date(2019, 2)],
])('%j is read at its written precision', (written, expected) => {
  expect(parsePartialDate(written)).toEqual(expected)
})

test.each([
  [null],
  [undefined],
  [''],
  ['Present'],
  ['Aug'],
  ['soon'],
  [0],
  [-5],
  [2019.5],
  [1600],
  ['1600-01-01'],
  ['9999-12-31'],
  [{ year: 0, month: 0, day: 0 }],
  [{ month: null, year: null }],
  [{ text: 'Present' }],
  ['1984 Studios'],
  [['2019']],
  [true],
])('%j is not a date', (written) => {
  expect(parsePartialDate(written)).toBeNull()
})

test('a founding year may be older than the sentinels, but never a sentinel', () => {
  expect(parseFoundedDate(1088)).toEqual(date(1088))
  expect(parseFoundedDate({ year: 1472 })).toEqual(date(1472))
  expect([1600, 0, 1, '0', { year: 0, month: 0, day: 0 }].map(parseFoundedDate)).toEqual([null, null, null, null, null])
})

describe('for every date', () => {
  test('all notations are read alike', () => {
    fc.assert(
      fc.property(anyDate, (one) => {
        const { year: y, month: m, day: d } = one
        const name = m === null ? null : long[m - 1]
        const iso = personDate(one)?.iso
        const forms: unknown[] = [one, iso, { year: String(y), month: name, day: d === null ? null : String(d) }]
        if (d !== null) forms.push(`${name} ${d}, ${y}`, `${d} ${name} ${y}`, `${iso}T23:59:59.999Z`)
        if (d === null && name)
          forms.push(`${name} ${y}`, `${name.slice(0, 3)} ${y}`, `Issued ${name} ${y}See credential`)
        if (name === null) forms.push(y, String(y))
        for (const form of forms) expect(parsePartialDate(form), JSON.stringify(form)).toEqual(one)
      }),
    )
  })

  test('the person form adds an iso text of the same precision', () => {
    fc.assert(
      fc.property(anyDate, (one) => {
        const written = personDate(one)
        expect(written).toMatchObject(one)
        expect(written?.iso.split('-').map(Number)).toEqual(
          [one.year, one.month, one.day].filter((part) => part !== null),
        )
        expect(written?.iso).toMatch(/^\d{4}(-\d{2}(-\d{2})?)?$/)
      }),
    )
  })

  test('comparing two dates agrees with comparing their texts at the shorter precision, in both directions', () => {
    fc.assert(
      fc.property(anyDate, anyDate, (a, b) => {
        const [x = '', y = ''] = [personDate(a)?.iso, personDate(b)?.iso]
        const precision = Math.min(x.length, y.length)
        const [p, q] = [x.slice(0, precision), y.slice(0, precision)]
        expect(Math.sign(compareDates(a, b))).toBe(p < q ? -1 : p > q ? 1 : 0)
        expect(Math.sign(compareDates(b, a))).toBe(Math.sign(-compareDates(a, b)) + 0)
      }),
    )
  })

  test('dropping invented parts keeps the rest', () => {
    fc.assert(
      fc.property(anyDate, (one) => {
        expect(withoutDay(one)).toEqual({ ...one, day: null })
        expect(yearOnly(one)).toEqual(date(one.year))
      }),
    )
    expect([withoutDay(null), yearOnly(null), personDate(null)]).toEqual([null, null, null])
  })
})

test('no value makes the parser throw or return an impossible date', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      const found = parsePartialDate(value)
      if (found === null) return
      expect(found.year).toBeGreaterThan(1600)
      expect(found.month ?? 1).toBeGreaterThanOrEqual(1)
      expect(found.month ?? 1).toBeLessThanOrEqual(12)
      if (found.month === null) expect(found.day).toBeNull()
    }),
    { numRuns: 2000 },
  )
})

test('ongoing is distinguished from unknown', () => {
  const ongoing = { start: null, end: null }
  for (const words of ['Present', 'present', ' Present · 5 yrs', 'now', { text: 'Present' }]) {
    expect(dateRange(null, words)).toEqual(ongoing)
  }
  for (const words of ['Heute', 'aujourd’hui', 'Actualidad', 'o momento', 'Oggi', 'heden', 'obecnie', '至今', '현재']) {
    expect(dateRange(null, words), words).toEqual(ongoing)
  }
  for (const words of [null, '', 'presently unknown', 7, {}]) expect(dateRange(null, words)).toBeNull()

  expect(dateRange('Aug 2019', 'Present')).toEqual({ start: { ...date(2019, 8), iso: '2019-08' }, end: null })
  expect(dateRange('Aug 2019', null)).toEqual(dateRange('Aug 2019', 'Present'))
  expect(dateRange(null, 'Present')).toEqual({ start: null, end: null })
  expect(dateRange(null, '2019')).toEqual({ start: null, end: { ...date(2019), iso: '2019' } })
  expect(dateRange({ month: null, year: null }, { month: null, year: null })).toBeNull()
})

test('a single date is both start and end, and a certificate is valid until it expires', () => {
  expect(singleDate('2019')).toEqual(dateRange('2019', '2019'))
  expect(singleDate('')).toBeNull()
  expect(issuedRange('Issued Oct 2017Expires Oct 2020See credential')).toEqual(dateRange('2017-10', '2020-10'))
  expect(issuedRange('Issued Oct 2017See credential')).toEqual(dateRange('2017-10', null))
  expect(issuedRange('Expired Oct 2020')).toEqual(dateRange(null, '2020-10'))
  expect(issuedRange(null)).toBeNull()
})

test('an unreadable end is still an end: the year of the start, or of the day it was last seen', () => {
  const ends = ['unknown', 'Foober', { text: 'a while ago' }, { month: 12, year: null }, { text: '?!x' }, 1_577_836_800]
  for (const end of ends) {
    expect(periodOf(dateRange('2018-05', end)), JSON.stringify(end)).toBe('2018-05..2018')
    expect(periodOf(dateRange(null, end, { lastSeen: '2015-03-09' }))).toBe('..2015')
    expect(dateRange(null, end)).toBeNull()
    expect(saysEnded(end)).toBe(true)
  }
  expect(periodOf(dateRange('2018-05', 'Foober 2019'))).toBe('2018-05..2019')
  expect(periodOf(dateRange('2018-05', '03-04-2019'))).toBe('2018-05..2019')
  // These values state nothing; they do not mean that the period is over.
  for (const end of [null, '', '-', 'N/A', '0000-00-00', 9999, { year: null, month: null }]) {
    expect(periodOf(dateRange('2018-05', end)), JSON.stringify(end)).toBe('2018-05..')
  }
})

test.each([
  ['März 2020', '2020-03'],
  ['Mrz. 2020', '2020-03'],
  ['déc. 2021', '2021-12'],
  ['3 de marzo de 2019', '2019-03-03'],
  ['out. de 2019', '2019-10'],
  ['settembre 2018', '2018-09'],
  ['mrt 2017', '2017-03'],
  ['grudzień 2020', '2020-12'],
  ['12 grudnia 2020', '2020-12-12'],
  ['ноябрь 2019 г.', '2019-11'],
  ['Ağustos 2016', '2016-08'],
  ['2021年4月', '2021-04'],
])('a month in the language of a profile is read: %s', (text, iso) => {
  expect(dateRange(text, null)?.start?.iso).toBe(iso)
})

test('a period never ends before it begins', () => {
  expect(periodOf(dateRange('2020-03', '2018'))).toBe('2018..2020-03')
  expect(periodOf(dateRange('2019-05', '2019'))).toBe('2019-05..2019')
})
