import { expect, test, vi } from 'vitest'
import { PriceBooks } from '../../../src/credits/prices/price-books.ts'
import type { StoredPriceBook } from '../../../src/credits/prices/stored-price-books.ts'
import { createLog } from '../../../src/foundation/log.ts'

const variables = { people: 1, companies: 1, lines: [] }
const stored = (version: number, validFrom: number): StoredPriceBook => {
  return { version, validFrom, lines: [{ credits: version }], parts: [], setAt: 0, actor: 'test' }
}

function open(books: (args: { at: number }) => Promise<StoredPriceBook[]>, warned: unknown[][] = []) {
  return new PriceBooks({
    store: { prices: { priceBooksFrom: books } },
    clock: { now: () => 1_000, elapsed: () => 0 },
    log: Object.assign(createLog('silent', false), { warn: (...said: unknown[]) => void warned.push(said) }),
    variables,
  })
}

const away = new Error('away')

/** Books whose reads have the given outcomes, in order. Later reads find one book. */
function openFailing(...ends: ('fails' | 'works')[]) {
  const warned: unknown[][] = []
  const asked = { times: 0 }
  const books = open(async () => {
    asked.times += 1
    if (ends.shift() === 'fails') throw away
    return [stored(1, 100)]
  }, warned)
  return { books, asked, warned }
}

/** Runs with timers that the test advances. */
async function withOwnTime(body: (passMs: (ms: number) => Promise<unknown>) => Promise<void>): Promise<void> {
  vi.useFakeTimers()
  try {
    await body((ms) => vi.advanceTimersByTimeAsync(ms))
  } finally {
    vi.useRealTimers()
  }
}

test('a book is valid from its start to that of the next, even if the clock is set back', async () => {
  const books = open(async () => [stored(2, 300), stored(3, 200), stored(1, 100)])
  expect(books.at(0).version).toBe(0)
  await books.read()
  const moments = [0, 99, 100, 199, 200, 299, 300, 9_999, 250, 150, 50, 300]
  expect(moments.map((at) => books.at(at).version)).toEqual([0, 0, 1, 1, 3, 3, 2, 2, 3, 1, 0, 2])
})

test('a read from before a book was set does not count as one from after it', async () => {
  const first = Promise.withResolvers<StoredPriceBook[]>()
  const answers = [first.promise, Promise.resolve([stored(1, 100)])]
  const books = open(() => answers.shift() ?? Promise.reject(new Error('asked too often')))
  const [early, late] = [books.read(), books.read()]
  first.resolve([])
  await Promise.all([early, late])
  expect(books.at(100).version).toBe(1)
})

test('only books that may still become valid are read, and a known book is not compiled again', async () => {
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

test('a failed read rejects for those who wait, and the next one is still made', async () => {
  const answers = [Promise.reject(new Error('away')), Promise.resolve([stored(1, 100)])]
  const books = open(() => answers.shift() ?? Promise.resolve([]))
  const [first, second] = [books.read(), books.read()]
  await expect(first).rejects.toThrow('away')
  await second
  expect(books.at(100).version).toBe(1)
  expect(books.variables.version).toBe(0)
})

test('after a notification, reads are retried every second until one succeeds', () =>
  withOwnTime(async (passMs) => {
    const { books, asked, warned } = openFailing('fails', 'fails', 'works')
    books.refresh()
    await passMs(999)
    expect(asked.times).toBe(1)
    await passMs(1)
    expect(asked.times).toBe(2)
    await passMs(1_000)
    expect(books.at(100).version).toBe(1)
    await passMs(60_000)
    expect(asked.times).toBe(3)
    const said = [{ err: away }, 'could not read the price books; retrying']
    expect(warned).toEqual([said, said])
  }))

test('a notification during a read causes another read, even if only that one fails', () =>
  withOwnTime(async (passMs) => {
    const { books, asked } = openFailing('works', 'fails', 'works')
    books.refresh()
    books.refresh()
    await passMs(0)
    expect(asked.times).toBe(2)
    await passMs(60_000)
    expect(asked.times).toBe(3)
  }))

test('two failed reads are retried once, and notifications do not wait for that', () =>
  withOwnTime(async (passMs) => {
    const { books, asked } = openFailing('fails', 'fails', 'works')
    books.refresh()
    books.refresh()
    await passMs(500)
    expect(asked.times).toBe(2)
    books.refresh()
    await passMs(60_000)
    expect(asked.times).toBe(3)
  }))

test('after close nothing is retried', () =>
  withOwnTime(async (passMs) => {
    const before = openFailing('fails')
    before.books.refresh()
    await passMs(0)
    before.books.close()
    const then = openFailing('fails')
    then.books.refresh()
    then.books.close()
    await passMs(60_000)
    expect([before.asked.times, then.asked.times]).toEqual([1, 1])
  }))
