import type { DateRange, PartialDate } from '@vitae/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { position } from '../../../src/providers/mapping/empty-records.ts'
import { type FlatPosition, groupPositions } from '../../../src/providers/mapping/experience.ts'
import { dateRange } from '../../../src/providers/mapping/partial-date.ts'
import { inOrder } from '../../../src/providers/mapping/precedence.ts'
import { expectOrder } from '../record-laws.ts'

function row(
  companyKey: string | null,
  name: string | null,
  title: string,
  start: unknown,
  end: unknown,
): FlatPosition {
  const company = { name, id: companyKey, url: null, logoUrl: null, industry: null, headcount: null }
  return { companyKey, company, workplaceType: null, position: position({ title, date_range: dateRange(start, end) }) }
}

const shown = (rows: FlatPosition[]) =>
  groupPositions(rows).map((group) => ({
    name: group.company_name,
    span: [group.date_range?.start?.iso, group.date_range?.end?.iso],
    titles: group.positions.map((one) => one.title),
  }))

test('promotions are one group, newest first, with the newest name of the company', () => {
  const rows = [row('1', 'Flint Inc.', 'junior', '2010', '2012-05'), row('1', 'Flint', 'senior', '2012-05', null)]

  expect(shown(rows)).toEqual([{ name: 'Flint', span: ['2010', undefined], titles: ['senior', 'junior'] }])
})

test('a return is merged into the one group, from the first start to the last end', () => {
  const rows = [
    row('1', 'A', 'back', '2008', '2013'),
    row('2', 'B', 'between', '2004', '2007'),
    row('1', 'A', 'first', '2003-02', '2003-09'),
  ]

  // Groups stand in the order of their own spans, so the one that began later is first although it ended earlier.
  expect(shown(rows)).toEqual([
    { name: 'B', span: ['2004', '2007'], titles: ['between'] },
    { name: 'A', span: ['2003-02', '2013'], titles: ['back', 'first'] },
  ])
})

test('of jobs held at once the later begun is first, and all of them stand before what has ended', () => {
  const rows = [
    row('1', 'A', 'old', '1975', 'Present'),
    row('2', 'B', 'ended', '2021', '2022'),
    row('3', 'C', 'new', '2015', 'Present'),
  ]

  expect(shown(rows).map((group) => group.name)).toEqual(['C', 'A', 'B'])
})

test('a company without a key is known by its name, unless two companies bear it', () => {
  const joined = [
    row('1', 'Acme', 'a', '2020', '2021'),
    row(null, 'ACME ', 'b', '2010', '2011'),
    row(null, 'acme', 'c', '2009', '2010'),
  ]
  const apart = [
    row('1', 'Acme', 'a', '2020', '2021'),
    row('2', 'Acme', 'b', '2010', '2011'),
    row(null, 'Acme', 'c', '2009', '2010'),
  ]
  const nameless = [row(null, null, 'a', '2020', '2021'), row(null, null, 'b', '2010', '2011')]

  expect([joined, apart, nameless].map((rows) => groupPositions(rows).length)).toEqual([1, 3, 2])
})

test('a span is as precise as what is surely true of it', () => {
  expect(shown([row('1', 'A', 'a', '2019-03', '2020-06'), row('1', 'A', 'b', '2019', '2020')])[0]?.span).toEqual([
    '2019',
    '2020',
  ])
  expect(shown([row('1', 'A', 'a', null, null)])[0]?.span).toEqual([undefined, undefined])
})

const anyDate: fc.Arbitrary<PartialDate | null> = fc.option(
  fc.record({
    year: fc.integer({ min: 2019, max: 2020 }),
    month: fc.option(fc.integer({ min: 1, max: 3 })),
    day: fc.option(fc.integer({ min: 1, max: 3 })),
  }),
)
const anyRange: fc.Arbitrary<DateRange | null> = fc.tuple(anyDate, anyDate).map(([start, end]) => dateRange(start, end))
const anyRow = fc
  .tuple(
    fc.option(fc.constantFrom('1', '2', '3')),
    fc.option(fc.constantFrom('A', 'B', 'C', 'D')),
    fc.uuid(),
    anyDate,
    anyDate,
  )
  .map(([key, name, title, start, end]) => row(key, name, title, start, end))

test('whatever the rows: no position is lost or doubled, and one key is one group', () => {
  fc.assert(
    fc.property(fc.array(anyRow, { maxLength: 12 }), (rows) => {
      const groups = groupPositions(rows)
      const titles = groups.flatMap((group) => group.positions.map((one) => one.title))
      expect(titles.length).toBe(rows.length)
      expect(new Set(titles)).toEqual(new Set(rows.map((one) => one.position.title)))
      const keys = groups.flatMap((group) => group.company_id ?? [])
      expect(keys).toEqual([...new Set(keys)])
      const isOpen = (range: DateRange | null) => range !== null && range.end === null
      for (const group of groups) {
        expect(isOpen(group.date_range)).toBe(group.positions.some((one) => isOpen(one.date_range)))
      }
    }),
  )
})

test('a vague date does not hide the order of the others', () => {
  const ranges = [
    dateRange('2019', '2019-01-01'),
    dateRange('2019-02', '2019-01-01'),
    dateRange('2019-01-01', '2019-03'),
  ]

  expect(inOrder(ranges, (range) => range)).toEqual([ranges[1], ranges[2], ranges[0]])
})

test('whenever an order exists it is found: no pair stands the wrong way round', () => {
  fc.assert(
    fc.property(fc.array(anyRange, { maxLength: 5 }), (ranges) => {
      const ordered = inOrder(ranges, (range) => range)
      expect(ordered.length).toBe(ranges.length)
      if (!permutations(ranges).some(isFaultless)) return
      expect(isFaultless(ordered)).toBe(true)
    }),
    { numRuns: 200 },
  )
})

test('dates of one precision are always in full order, and equals keep theirs', () => {
  const years = fc.tuple(fc.integer({ min: 2018, max: 2021 }), fc.option(fc.integer({ min: 2018, max: 2021 })))
  fc.assert(
    fc.property(fc.array(years, { maxLength: 12 }), (pairs) => {
      const items = pairs.map(([start, end], index) => ({ index, range: dateRange(start, end) }))
      const ordered = inOrder(items, (item) => item.range)
      expectOrder(ordered.map((item) => item.range))
      const same = (a: object | null, b: object | null) => JSON.stringify(a) === JSON.stringify(b)
      for (const [at, item] of ordered.slice(1).entries()) {
        const before = ordered[at]
        if (before && same(before.range, item.range)) expect(before.index).toBeLessThan(item.index)
      }
    }),
  )
})

function permutations(ranges: (DateRange | null)[]): (DateRange | null)[][] {
  if (ranges.length <= 1) return [ranges]
  return ranges.flatMap((range, index) => permutations(ranges.toSpliced(index, 1)).map((rest) => [range, ...rest]))
}

function isFaultless(ranges: (DateRange | null)[]): boolean {
  try {
    ranges.forEach((range, index) => ranges.slice(index + 1).forEach((later) => expectOrder([range, later])))
    return true
  } catch {
    return false
  }
}
