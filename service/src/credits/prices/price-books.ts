import type { Store } from '../../database/store.ts'
import type { Clock } from '../../foundation/clock.ts'
import type { Log } from '../../foundation/log.ts'
import { CompiledBook } from './compiled-book.ts'
import type { PriceBookOperations } from './store/price-books.ts'
import { kinds, type Kind } from '@vitae/contract'
import type { PriceLine, PriceLists } from './price-book.ts'

interface Deps {
  store: Pick<Store<PriceBookOperations>, 'priceBooksFrom'>
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
    const rows = await store.priceBooksFrom({ at: clock.now() })
    const known = new Map(this.#books.map((book) => [book.version, book]))
    // Stored books never change, so a compiled book stays valid.
    this.#books = rows.map((row) => known.get(row.version) ?? new CompiledBook(row.version, row.validFrom, row))
    this.#from = Infinity
    this.#until = -Infinity
  }
}

/** The lists of a book: stored books are read from the store, version 0 comes from the variables. */
export async function listsOf(
  { prices, store }: { prices: Pick<PriceBooks, 'variables'>; store: Pick<Store<PriceBookOperations>, 'priceBook'> },
  version: number,
): Promise<PriceLists | null> {
  return version === 0 ? prices.variables.lists : store.priceBook({ version })
}

/** The configured prices that apply if no book was set. Null = the normal price. */
export interface PriceVariables {
  people: number
  companies: number
  stale: number | null
  thin: number | null
  bypass: number | null
  /** The price of a company found by its domain; null = free from the store, the price of a company from a provider. */
  resolve: number | null
  /** The price of a record found by a match, whatever its source; null = the price of the record. */
  match: number | null
}

/**
 * The configured prices as a book, version 0, which applies until the first book is set. The outcome takes precedence
 * over how the call was made: a stale or thin answer has its own price even if the cache was bypassed. An answer that
 * is both has the lower price.
 */
export function defaultBook(variables: PriceVariables): CompiledBook {
  const { companies, resolve, match } = variables
  const lines: PriceLine[] = [
    ...(match === null ? [] : kinds.map((kind): PriceLine => ({ by: 'match', kind, credits: match }))),
    { kind: 'resolve', source: 'store', credits: resolve ?? 0 },
    { kind: 'resolve', credits: resolve ?? companies },
    ...kinds.flatMap((kind) => linesOf(kind, variables)),
    { credits: companies },
  ]
  return new CompiledBook(0, 0, { lines, parts: [] })
}

function linesOf(kind: Kind, variables: PriceVariables): PriceLine[] {
  const normal = variables[kind]
  const [stale, thin] = [variables.stale ?? normal, variables.thin ?? normal]
  return [
    { kind, source: 'stale_fallback', thin: true, credits: Math.min(stale, thin) },
    { kind, source: 'stale_fallback', credits: stale },
    { kind, thin: true, credits: thin },
    { kind, bypass: true, credits: variables.bypass ?? normal },
    { kind, credits: normal },
  ]
}
