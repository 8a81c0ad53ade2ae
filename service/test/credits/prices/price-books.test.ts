import { expect, test } from 'vitest'
import { PriceBooks } from '../../../src/credits/prices/price-books.ts'
import type { StoredPriceBook } from '../../../src/credits/prices/store/price-books.ts'
import { createLog } from '../../../src/foundation/log.ts'

const variables = { people: 1, companies: 1, stale: null, thin: null, bypass: null, resolve: null, match: null }
const stored = (version: number, validFrom: number): StoredPriceBook => {
  return { version, validFrom, lines: [{ credits: version }], parts: [], setAt: 0, actor: 'test' }
}

function open(books: (args: { at: number }) => Promise<StoredPriceBook[]>) {
  return new PriceBooks({
    store: { priceBooksFrom: books },
    clock: { now: () => 1_000, elapsed: () => 0 },
    log: createLog('silent', false),
    variables,
  })
}

test('a book holds from its moment to that of the next, also where the clock is set back', async () => {
  const books = open(async () => [stored(2, 300), stored(3, 200), stored(1, 100)])
  expect(books.at(0).version).toBe(0)
  await books.read()
  const moments = [0, 99, 100, 199, 200, 299, 300, 9_999, 250, 150, 50, 300]
  expect(moments.map((at) => books.at(at).version)).toEqual([0, 0, 1, 1, 3, 3, 2, 2, 3, 1, 0, 2])
})

test('a read that began before a book was set does not stand for one that began after', async () => {
  const first = Promise.withResolvers<StoredPriceBook[]>()
  const answers = [first.promise, Promise.resolve([stored(1, 100)])]
  const books = open(() => answers.shift() ?? Promise.reject(new Error('asked too often')))
  const [early, late] = [books.read(), books.read()]
  first.resolve([])
  await Promise.all([early, late])
  expect(books.at(100).version).toBe(1)
})

test('only books that may hold from now on are asked for, and a book that is known is not made again', async () => {
  const asked: unknown[] = []
  const books = open(async (args) => {
    asked.push(args)
    return [stored(1, 100)]
  })
  await books.read()
  const first = books.at(100)
  await books.read()
  expect(books.at(100)).toBe(first)
  expect(asked).toEqual([{ at: 1_000 }, { at: 1_000 }])
})

test('a read that fails is told to who waits, and the next one is made all the same', async () => {
  const answers = [Promise.reject(new Error('away')), Promise.resolve([stored(1, 100)])]
  const books = open(() => answers.shift() ?? Promise.resolve([]))
  const [first, second] = [books.read(), books.read()]
  await expect(first).rejects.toThrow('away')
  await second
  expect(books.at(100).version).toBe(1)
  expect(books.variables.version).toBe(0)
})
