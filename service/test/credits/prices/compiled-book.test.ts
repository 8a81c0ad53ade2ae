import { kinds } from '@vitae/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { allParts, CompiledBook, noParts, usualAsk, usualEnd } from '../../../src/credits/prices/compiled-book.ts'
import { removedSettings } from '../../../src/config/removed-settings.ts'
import { defaultBook } from '../../../src/credits/prices/price-books.ts'
import type { PriceLine } from '../../../src/credits/prices/price-book.ts'
import { readNote } from '../../../src/credits/prices/price-note.ts'
import { anyFacts, anyLists, anyParts, asked, dearest, naive, type Facts } from './any-book.ts'

test('a compiled book equals reading line by line, in any order of questions, and its note names the line', () => {
  fc.assert(
    fc.property(
      anyLists,
      fc.array(fc.tuple(anyFacts, anyParts, anyParts), { minLength: 1, maxLength: 20 }),
      (lists, calls) => {
        const book = new CompiledBook(3, 0, lists)
        for (const [facts, include, has] of calls) {
          const price = book.priceOf(asked(facts, include), { ...facts, has: (part) => has[part] })
          const expected = naive(lists, facts, include, has)
          expect({ credits: price.credits, extras: price.extras }).toEqual({
            credits: expected.credits,
            extras: expected.extras,
          })
          expect(readNote(price.note)).toMatchObject({ book: 3, line: expected.line })
        }
      },
    ),
  )
})

test('no call ends above its hold, and the hold is the price of one of its outcomes', () => {
  fc.assert(
    fc.property(anyLists, anyFacts, anyParts, (lists, facts, include) => {
      expect(new CompiledBook(1, 0, lists).highest(asked(facts, include))).toBe(dearest(lists, facts, include))
    }),
  )
})

test('a preview that knows only some facts of a call never states less than its price; with all facts it states the price', () => {
  const all = { contact: true, network: true, verifications: true }
  fc.assert(
    fc.property(anyLists, anyFacts, anyParts, fc.boolean(), (lists, facts, include, knowsEnd) => {
      const possible = { ...facts, ...(facts.bypass ? { source: 'live' as const } : {}) }
      const { kind, by, project, environment, source } = possible
      const book = new CompiledBook(1, 0, lists)
      const most = book.atMost({ kind, by, project, environment, include }, knowsEnd ? { source } : {})
      const whole = book.atMost(asked(possible, include), possible)
      const own = naive(lists, possible, include, all).credits

      expect(most).toBeGreaterThanOrEqual(own)
      expect(whole).toBe(own)
    }),
  )
})

test('the maximum price of a watch in an environment is the first line that matches it', () => {
  fc.assert(
    fc.property(anyLists, anyFacts, fc.constantFrom(...kinds), (lists, facts, kind) => {
      const book = new CompiledBook(1, 0, lists)
      const none = { contact: false, network: false, verifications: false }
      const entry = book.highestOfWatches().find(({ project, environment }) => {
        return (
          (project === null || project === facts.project) && (environment === null || environment === facts.environment)
        )
      })
      const own = book.highest({ ...asked(facts, none), kind, by: 'watch', bypass: false })
      expect(entry?.highest[kind]).toBe(own)
    }),
  )
})

test.each([
  ['STALE', { source: 'stale_fallback' }],
  ['THIN', { thin: true }],
  ['BYPASS', { bypass: true }],
  ['RESOLVE', { kind: 'resolve' }],
  ['MATCH', { by: 'match' }],
] as const)(
  'the line that the start shows for VITAE_PRICE_%s charges that price, and no other call',
  (name, special) => {
    const [error = ''] = removedSettings({ [`VITAE_PRICE_${name}`]: '3' }).errors
    const line = JSON.parse(/\{.*\}/.exec(error)?.[0] ?? '') as PriceLine
    const book = defaultBook({ people: 5, companies: 6, lines: [line] })
    const price = (more: Partial<Facts>) => {
      const facts = {
        ...usualAsk,
        ...usualEnd,
        kind: 'people' as const,
        project: 'acme',
        environment: 'production',
        ...more,
      }
      return book.priceOf(asked(facts, noParts), facts).credits
    }

    expect(price(special)).toBe(3)
    expect([price({}), price({ kind: 'companies' })]).toEqual([5, 6])
  },
)

test('a call costs two table reads, however long the book is', () => {
  let reads = 0
  const line = (credits: number): PriceLine =>
    new Proxy(
      { project: `p${credits}`, credits },
      { get: (target, name) => (reads++, Reflect.get(target, name) as unknown) },
    )
  const lines = [...Array.from({ length: 200 }, (_, index) => line(index)), { credits: 1 }]
  const book = new CompiledBook(1, 0, { lines, parts: [] })
  const ask = { ...usualAsk, kind: 'people', project: 'p7', environment: 'x' } as const
  book.priceOf(ask, usualEnd)
  reads = 0
  for (let call = 0; call < 1_000; call++) expect(book.priceOf(ask, usualEnd).credits).toBe(7)
  expect(reads).toBe(0)
})

const here = { kind: 'people', project: 'acme', environment: 'production' } as const

test('an ordinary lookup and answer are priced by no special line, and request no part', () => {
  const lines = [
    { by: 'watch', credits: 9 },
    { bypass: true, credits: 8 },
    { thin: true, credits: 7 },
    { changed: false, credits: 6 },
    { source: 'store', credits: 5 },
    { credits: 1 },
  ] satisfies PriceLine[]
  const book = new CompiledBook(1, 0, { lines, parts: [{ part: 'contact', credits: 4 }] })
  expect(book.priceOf({ ...usualAsk, ...here }, usualEnd)).toEqual({ credits: 1, extras: 0, note: '1 6:1' })
  expect(usualEnd.has('contact')).toBe(false)
})

test('a note names the parts that cost something, with 0 for one without a value, and no others', () => {
  const parts = [
    { part: 'contact', credits: 4 },
    { part: 'network', credits: 0 },
  ] as const
  const book = new CompiledBook(2, 0, { lines: [{ credits: 1 }], parts })
  const ask = { ...usualAsk, ...here, include: allParts(null) }
  const whole = book.priceOf(ask, { ...usualEnd, has: () => true })
  expect(whole).toEqual({ credits: 5, extras: 4, note: '2 1:1 contact:4' })
  expect(book.priceOf(ask, usualEnd)).toEqual({ credits: 1, extras: 0, note: '2 1:1 contact:0' })
})

test('a call that bypasses the cache holds nothing for answers from the store', () => {
  const lines = [{ source: 'store', credits: 9 }, { credits: 1 }] satisfies PriceLine[]
  const book = new CompiledBook(1, 0, { lines, parts: [] })
  expect(book.highest({ ...usualAsk, ...here, bypass: true })).toBe(1)
  expect(book.highest({ ...usualAsk, ...here })).toBe(9)
})

test('a book without a line for a call reports it', () => {
  const book = new CompiledBook(1, 0, { lines: [{ kind: 'people', credits: 1 }], parts: [] })
  expect(() => book.priceOf({ ...usualAsk, ...here }, usualEnd)).toThrow('a price book has no line for a call')
})

test('a key may request every part, or only its allowed ones', () => {
  const all = { contact: true, network: true, verifications: true }
  expect(allParts(null)).toEqual(all)
  expect(allParts(new Set(['contact']))).toEqual({ ...noParts, contact: true })
})
