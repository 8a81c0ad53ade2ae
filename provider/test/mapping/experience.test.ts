import type { PartialDate } from '@vitae/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { position } from '../../src/mapping/record-items.ts'
import { type FlatPosition, groupPositions } from '../../src/mapping/experience.ts'
import { dateRange } from '../../src/mapping/partial-date.ts'
import { areInOrder } from '../../src/conformance/contract-rules.ts'

function row(
  companyKey: string | null,
  name: string | null,
  title: string,
  start: unknown,
  end: unknown,
  flags: Pick<FlatPosition, 'isCurrent' | 'isPrimary'> = {},
): FlatPosition {
  const company = { name, id: companyKey, url: null, logoUrl: null, industry: null, headcount: null }
  const held = position({ title, date_range: dateRange(start, end) })
  return { companyKey, company, workplaceType: null, position: held, ...flags }
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

  expect(shown(rows)).toEqual([
    { name: 'A', span: ['2003-02', '2013'], titles: ['back', 'first'] },
    { name: 'B', span: ['2004', '2007'], titles: ['between'] },
  ])
})

test('current jobs keep the order of the provider, before all past jobs', () => {
  const rows = [
    row('1', 'A', 'old', '1975', 'Present'),
    row('2', 'B', 'ended', '2021', '2022'),
    row('3', 'C', 'new', '2015', 'Present'),
  ]

  expect(shown(rows).map((group) => group.name)).toEqual(['A', 'C', 'B'])
})

test('a current job that the provider marks as primary comes first; a primary past job does not', () => {
  const rows = [
    row('1', 'A', 'ended', '2010', '2012', { isPrimary: true }),
    row('2', 'B', 'side', '2015', null),
    row('3', 'C', 'main', '2001', null, { isPrimary: true }),
  ]

  expect(shown(rows).map((group) => group.name)).toEqual(['C', 'B', 'A'])
})

test('past jobs are ordered by later end, then by later start, and unknown dates come last', () => {
  const rows = [
    row('1', 'A', 'undated', null, null),
    row('2', 'B', 'later start', '2019', '2020'),
    row('3', 'C', 'later end', '2001', '2021'),
    row('4', 'D', 'earlier start', '2018', '2020'),
  ]

  expect(shown(rows).map((group) => group.name)).toEqual(['C', 'B', 'D', 'A'])
})

test('a vague date counts as the latest day it can mean, across groups and inside one', () => {
  const jobs = [
    ['2020-05', '2021-04'],
    ['2021-09', '2021'],
    ['2021', '2021-03'],
    ['2021-02', '2021-03'],
    ['2021-03-31', '2021-03'],
  ] as const
  const wanted = ['2021-09..2021', '2020-05..2021-04', '2021..2021-03', '2021-03-31..2021-03', '2021-02..2021-03']
  const titles = (keyOf: (index: number) => string) =>
    groupPositions(
      jobs.map(([start, end], index) => row(keyOf(index), keyOf(index), `${start}..${end}`, start, end)),
    ).flatMap((group) => group.positions.map((one) => one.title))

  expect(titles(String)).toEqual(wanted)
  expect(titles(() => 'one company')).toEqual(wanted)
})

test('a job flagged as not current keeps its start and ends in that year at the earliest; without a year it comes last', () => {
  const rows = [
    row('1', 'A', 'over', '2022', null, { isCurrent: false }),
    row('2', 'B', 'ended', '2010', '2012', { isCurrent: true }),
    row('3', 'C', 'undated', null, null, { isCurrent: true }),
    row('4', 'D', 'undated', null, null, { isCurrent: false }),
  ]

  expect(groupPositions(rows).map((group) => [group.company_name, group.date_range])).toEqual([
    ['C', { start: null, end: null }],
    ['A', dateRange('2022', '2022')],
    ['B', dateRange('2010', '2012')],
    ['D', null],
  ])
})

test('a company without a key is identified by its name, unless two companies share that name', () => {
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

test('a span has only the precision that is certain', () => {
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
const anyRow = fc
  .tuple(
    fc.option(fc.constantFrom('1', '2', '3')),
    fc.option(fc.constantFrom('A', 'B', 'C', 'D')),
    fc.uuid(),
    anyDate,
    anyDate,
    fc.record({ isCurrent: fc.option(fc.boolean()), isPrimary: fc.option(fc.boolean()) }),
  )
  .map(([key, name, title, start, end, flags]) => row(key, name, title, start, end, flags))

test('for any rows: no position is lost or duplicated, and one key is one group', () => {
  fc.assert(
    fc.property(fc.array(anyRow, { maxLength: 12 }), (rows) => {
      const groups = groupPositions(rows)
      const titles = groups.flatMap((group) => group.positions.map((one) => one.title))
      expect(titles.length).toBe(rows.length)
      expect(new Set(titles)).toEqual(new Set(rows.map((one) => one.position.title)))
      const keys = groups.flatMap((group) => group.company_id ?? [])
      expect(keys).toEqual([...new Set(keys)])
    }),
  )
})

test("for any rows: groups and positions are in order, and current ones keep the provider's order", () => {
  fc.assert(
    fc.property(fc.array(anyRow, { maxLength: 12 }), (rows) => {
      const groups = groupPositions(rows)
      const placeOf = new Map(rows.map((one, index) => [one.position.title, (one.isPrimary ? 0 : 100) + index]))
      for (const { positions, date_range: span } of groups) {
        expect(areInOrder(positions.map((one) => one.date_range))).toBe(true)
        const current = positions
          .filter((one) => one.date_range?.end === null)
          .map((one) => placeOf.get(one.title) ?? 0)
        expect(current).toEqual(current.toSorted((a, b) => a - b))
        expect(span?.end === null).toBe(current.length > 0)
      }
      expect(areInOrder(groups.map((group) => group.positions[0]?.date_range ?? null))).toBe(true)
    }),
  )
})

test('grouping a grouped record again changes nothing', () => {
  fc.assert(
    fc.property(fc.array(anyRow, { maxLength: 12 }), (rows) => {
      const once = groupPositions(rows.map((one) => ({ ...one, isPrimary: null })))
      const flat = once.flatMap((group, index) =>
        group.positions.map((one) => ({ ...row(String(index), group.company_name, '', null, null), position: one })),
      )
      expect(groupPositions(flat).map((group) => group.positions)).toEqual(once.map((group) => group.positions))
    }),
  )
})
