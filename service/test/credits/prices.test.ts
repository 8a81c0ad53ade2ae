import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dataSources, kinds } from '@vitae/contract'
import { highestPrice, priceOf, type Prices } from '../../src/credits/prices.ts'

const normal: Prices = {
  people: 2,
  companies: 3,
  stale: null,
  thin: null,
  bypass: null,
  resolve: null,
  match: null,
  repeatFreeDays: 0,
}
const live = { kind: 'people', source: 'live', thin: false, bypass: false } as const

test('without special prices every answer of a kind costs the same', () => {
  for (const source of dataSources) {
    for (const flag of [true, false]) {
      expect(priceOf(normal, { kind: 'people', source, thin: flag, bypass: flag })).toBe(2)
      expect(priceOf(normal, { kind: 'companies', source, thin: flag, bypass: flag })).toBe(3)
    }
  }
})

test('what the caller got goes before how it was asked for, and a copy that is stale and thin has the lower price', () => {
  const prices = { ...normal, stale: 10, thin: 20, bypass: 30 }
  const both = { ...live, source: 'stale_fallback', thin: true } as const
  expect(priceOf(prices, both)).toBe(10)
  expect(priceOf({ ...prices, thin: 5 }, both)).toBe(5)
  expect(priceOf({ ...prices, stale: null }, both)).toBe(2)
  expect(priceOf(prices, { ...live, thin: true, bypass: true })).toBe(20)
  expect(priceOf(prices, { ...live, bypass: true })).toBe(30)
  expect(priceOf(prices, live)).toBe(2)
  expect(priceOf({ ...prices, stale: 0 }, { ...live, source: 'stale_fallback' })).toBe(0)
})

test('a fetch never ends dearer than what it held, and holds no more than one of its ends costs', () => {
  const amount = fc.nat(9)
  const anyPrices = fc.record({
    people: amount,
    companies: amount,
    stale: fc.option(amount),
    thin: fc.option(amount),
    bypass: fc.option(amount),
    resolve: fc.option(amount),
    match: fc.option(amount),
    repeatFreeDays: fc.constant(0),
  })
  fc.assert(
    fc.property(anyPrices, fc.constantFrom(...kinds), fc.boolean(), (prices, kind, bypass) => {
      const sources = bypass ? (['live'] as const) : (['live', 'stale_fallback'] as const)
      const ends = sources.flatMap((source) =>
        [true, false].map((thin) => priceOf(prices, { kind, source, thin, bypass })),
      )
      expect(highestPrice(prices, { kind, bypass })).toBe(ends.toSorted((a, b) => b - a)[0])
    }),
  )
})
