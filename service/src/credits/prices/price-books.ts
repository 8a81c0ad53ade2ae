import type { PriceBookStore } from './stored-price-books.ts'
import type { Clock } from '../../foundation/clock.ts'
import type { Log } from '../../foundation/log.ts'
import { CompiledBook } from './compiled-book.ts'
import type { PriceLine, PriceLists } from './price-book.ts'

interface Deps {
  store: { prices: Pick<PriceBookStore, 'priceBooksFrom'> }
  clock: Clock
  log: Log
  variables: PriceVariables
}

const readAgainMs = 1_000

/**
 * The price books that this process knows. A book is read long before it becomes valid, so that no read happens at that
 * moment. A call uses the book that is valid when it begins, until it ends.
 */
export class PriceBooks {
  readonly #deps: Deps
  readonly #default: CompiledBook
  /** Latest first. */
  #books: readonly CompiledBook[] = []
  #current: CompiledBook
  /** The period in which `#current` stays valid. */
  #from = Infinity
  #until = -Infinity
  #reading: Promise<void> | null = null
  #closed = false
  #timer: NodeJS.Timeout | undefined

  constructor(deps: Deps) {
    this.#deps = deps
    this.#default = defaultBook(deps.variables)
    this.#current = this.#default
  }

  /** The book that is valid at a given time. */
  at(now: number): CompiledBook {
    if (now >= this.#from && now < this.#until) return this.#current
    const index = this.#books.findIndex(({ validFrom }) => validFrom <= now)
    this.#current = this.#books[index] ?? this.#default
    this.#from = index < 0 ? -Infinity : this.#current.validFrom
    this.#until = this.#books[index < 0 ? this.#books.length - 1 : index - 1]?.validFrom ?? Infinity
    return this.#current
  }

  /** The variables as a book, which is version 0. */
  get variables(): CompiledBook {
    return this.#default
  }

  /** Reads the books again. When it resolves, all books set before the call are known. */
  async read(): Promise<void> {
    // A read in progress may have begun before the book was stored.
    while (this.#reading) await this.#reading.catch(() => undefined)
    this.#reading = this.#read()
    try {
      await this.#reading
    } finally {
      this.#reading = null
    }
  }

  /** The same for changes on other nodes: nothing waits for it, and it retries until it succeeds. */
  refresh(): void {
    clearTimeout(this.#timer)
    this.read().catch((error: unknown) => {
      this.#deps.log.warn({ err: error }, 'could not read the price books; retrying')
      clearTimeout(this.#timer)
      if (!this.#closed) this.#timer = setTimeout(() => this.refresh(), readAgainMs).unref()
    })
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  async #read(): Promise<void> {
    const { store, clock } = this.#deps
    const rows = await store.prices.priceBooksFrom({ at: clock.now() })
    const known = new Map(this.#books.map((book) => [book.version, book]))
    // Stored books never change, so a compiled book stays valid.
    this.#books = rows.map((row) => known.get(row.version) ?? new CompiledBook(row.version, row.validFrom, row))
    this.#from = Infinity
    this.#until = -Infinity
  }
}

/** The lists of a book: stored books are read from the store, version 0 comes from the variables. */
export async function listsOf(
  {
    prices,
    store,
  }: { prices: Pick<PriceBooks, 'variables'>; store: { prices: Pick<PriceBookStore, 'priceBookHistory'> } },
  version: number,
): Promise<PriceLists | null> {
  if (version === 0) return prices.variables.lists
  const [book] = await store.prices.priceBookHistory({ limit: 1, before: version + 1 })
  return book?.version === version ? book : null
}

/** The configured prices, which apply until a book is set. */
export interface PriceVariables {
  people: number
  companies: number
  /** Lines before the others; only tests have any. */
  lines: readonly PriceLine[]
}

/**
 * The configured prices as a book, version 0. A company that is found by its domain is free from the store. Receipts
 * name lines by number, so the lines keep their places.
 */
export function defaultBook({ people, companies, lines }: PriceVariables): CompiledBook {
  const usual: PriceLine[] = [
    { kind: 'resolve', source: 'store', credits: 0 },
    { kind: 'resolve', credits: companies },
    { kind: 'people', credits: people },
    { credits: companies },
  ]
  return new CompiledBook(0, 0, { lines: [...lines, ...usual], parts: [] })
}
