import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseHeadcountRange } from '../../src/mapping/headcount.ts'
import { parseMoney } from '../../src/mapping/money.ts'
import { integer } from '../../src/mapping/text.ts'

const count = fc.integer({ min: 0, max: 1_000_000 })
const grouped = (value: number) => value.toLocaleString('en-US')

describe('a headcount', () => {
  test.each([
    ['51-200', 51, 200],
    ['10001+', 10_001, null],
    ['10,001+ employees', 10_001, null],
    ['5001-10,000 employees', 5001, 10_000],
    ['11 – 50', 11, 50],
    ['1 employee', 1, 1],
    ['10K-50K', 10_000, 50_000],
    ['100K+', 100_000, null],
    ['Myself Only', 1, 1],
    [[10_001, null], 10_001, null],
    [{ start: 10_001 }, 10_001, null],
    [{ start: 10_001, end: null }, 10_001, null],
    [{ start: 10_001, end: 1 }, 10_001, null],
    [7, 7, 7],
  ])('%j is a bracket', (written, start, end) => {
    expect(parseHeadcountRange(written)).toEqual({ start, end })
  })

  test.each([[null], [''], ['many'], [[]], [{}], [[null, null]], [-3], [true]])('%j is not a headcount', (written) => {
    expect(parseHeadcountRange(written)).toBeNull()
  })

  test('is the same in every form', () => {
    fc.assert(
      fc.property(count, count, (a, b) => {
        const [start, end] = [Math.min(a, b), Math.max(a, b)]
        const forms = [[start, end], { start, end }, `${start}-${end}`, `${grouped(start)} - ${grouped(end)} employees`]
        for (const form of forms) expect(parseHeadcountRange(form)).toEqual({ start, end })
        for (const form of [[start, null], `${start}+`, `${grouped(start)}+ employees`]) {
          expect(parseHeadcountRange(form)).toEqual({ start, end: null })
        }
      }),
    )
  })

  test('never has an end below its start, for any input', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const range = parseHeadcountRange(value)
        expect(range?.end ?? Infinity).toBeGreaterThanOrEqual(range?.start ?? 0)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('an amount of money', () => {
  test.each([
    ['US$ 391.5K', undefined, 391_500, 'usd'],
    ['US$ 20.0M', undefined, 20_000_000, 'usd'],
    ['100M', '$', 100_000_000, 'usd'],
    ['1800000000', 'USD', 1_800_000_000, 'usd'],
    [55_250_000.0, undefined, 55_250_000, null],
    [210_000_000, 'eur', 210_000_000, 'eur'],
    ['€1.2bn', undefined, 1_200_000_000, 'eur'],
    ['20 million USD', undefined, 20_000_000, 'usd'],
    ['CA$5M', undefined, 5_000_000, 'cad'],
    ['$1,234.56', undefined, 1235, 'usd'],
    ['1.005K', undefined, 1005, null],
    ['5000000000', '', 5_000_000_000, null],
    ['9007199254740991', 'usd', 9_007_199_254_740_991, 'usd'],
    [0, 'usd', 0, 'usd'],
  ])('%j with currency %j is read exactly', (amount, currency, units, code) => {
    expect(parseMoney(amount, currency)).toEqual({ amount: units, currency: code })
  })

  test.each([[null], [''], ['undisclosed'], ['9223372036854775807'], [-1], [Number.NaN], ['12 apples'], [{}], [true]])(
    '%j is not an amount in any currency',
    (amount) => {
      expect(parseMoney(amount, 'usd')).toBeNull()
    },
  )

  test('is exact up to 2^53 in every form', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (units) => {
        for (const form of [units, String(units), `US$ ${grouped(units)}`, `$${units}`, `${units} EUR`]) {
          expect(parseMoney(form)?.amount).toBe(units)
        }
      }),
    )
  })

  test('shifts digits for thousands, millions and billions instead of multiplying', () => {
    const parts = fc.tuple(fc.integer({ min: 0, max: 999 }), fc.integer({ min: 0, max: 999 }))
    fc.assert(
      fc.property(
        parts,
        fc.constantFrom<[string, number]>(['K', 3], ['M', 6], ['B', 9]),
        ([whole, rest], [unit, zeros]) => {
          const written = `${whole}.${String(rest).padStart(3, '0')}${unit}`
          const expected = BigInt(whole) * 10n ** BigInt(zeros) + BigInt(rest) * 10n ** BigInt(zeros - 3)
          expect(parseMoney(written)?.amount).toBe(Number(expected))
        },
      ),
    )
  })

  test('is never negative, broken or in an unknown currency, for any input', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (amount, currency) => {
        const money = parseMoney(amount, currency)
        if (money === null) return
        expect(Number.isSafeInteger(money.amount)).toBe(true)
        expect(money.currency ?? 'usd').toMatch(/^[a-z]{3}$/)
      }),
      { numRuns: 1000 },
    )
  })
})

test('a count is a whole number in any of its forms', () => {
  expect(['1,234', '500+', '27,387 followers', ' 12 ', '12.0', 12.9].map(integer)).toEqual([
    1234, 500, 27_387, 12, 12, 12,
  ])
  expect([null, '', 'many', -1, '1e9', Number.NaN, 1e300, '99999999999999999999', [1]].map(integer)).toEqual(
    Array(9).fill(null),
  )
  fc.assert(
    fc.property(fc.maxSafeNat(), (value) => {
      expect([value, String(value), grouped(value)].map(integer)).toEqual([value, value, value])
    }),
  )
})

test('minus zero becomes zero, because it would not survive JSON', () => {
  expect(integer(-0)).toBe(0)
  expect(parseMoney(-0.4, 'eur')).toEqual({ amount: 0, currency: 'eur' })
})

test('a quantity with endless space in it is read at once', () => {
  const spaced = `1${' '.repeat(40_000)}`
  const before = process.cpuUsage()

  const found = [`${spaced}+`, `${spaced}followers`, `${spaced}1`, `${spaced}!`].map((line) => [
    integer(line),
    parseHeadcountRange(line)?.start ?? null,
    parseMoney(line)?.amount ?? null,
  ])

  const { user, system } = process.cpuUsage(before)
  expect(found).toEqual([
    [1, 1, 1],
    [1, 1, null],
    [null, null, null],
    [null, null, 1],
  ])
  expect((user + system) / 1_000_000).toBeLessThan(1)
})
