import fc from 'fast-check'
import { expect, test } from 'vitest'
import { estimateHeadcount } from '../src/index.ts'
import { company } from './people.ts'

const count = fc.nat({ max: 3_000_000 })
const estimate = (staff_count: number | null, staff_range: { start: number | null; end: number | null } | null) =>
  estimateHeadcount(company({ staff_info: { staff_count, staff_range } }))

test('a count takes precedence over any bracket, even a count of 0', () => {
  fc.assert(
    fc.property(count, fc.option(count), fc.option(count), (staff, start, end) => {
      expect(estimate(staff, { start, end })).toBe(staff)
    }),
  )
})

test('without a count the estimate is the middle of the bracket', () => {
  fc.assert(
    fc.property(count, count, (start, width) => {
      const guess = estimate(null, { start, end: start + width })
      expect(Math.abs((guess ?? Number.NaN) - (start + width / 2))).toBeLessThanOrEqual(0.5)
    }),
  )
})

test('for the open-ended top bracket the estimate is its floor', () => {
  fc.assert(
    fc.property(count, (start) => {
      expect(estimate(null, { start, end: null })).toBe(start)
    }),
  )
})

test('without any figure the estimate is null, never the number of followers', () => {
  expect(estimate(null, null)).toBeNull()
  expect(estimate(null, { start: null, end: null })).toBeNull()
  expect(estimate(null, { start: null, end: 10 })).toBeNull()
  expect(estimateHeadcount(company({ staff_info: null, followers_count: 900 }))).toBeNull()
})
