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
 * The price books as this process knows them. A book is read long before it becomes valid, so that at that moment nothing has to be read:
 * a call takes the book of the moment at which it begins, and keeps it to its end.
 */
export class PriceBooks {
  readonly #deps: Deps
  readonly #default: CompiledBook
  /** The latest first. */
  #books: readonly CompiledBook[] = []
  #current: CompiledBook
  /** Between these moments nothing changes. */
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

  /** The book that is valid at a moment. */
  at(now: number): CompiledBook {
    if (now >= this.#from && now < this.#until) return this.#current
    const index = this.#books.findIndex(({ validFrom }) => validFrom <= now)
    this.#current = this.#books[index] ?? this.#default
    this.#from = index < 0 ? -Infinity : this.#current.validFrom
    this.#until = this.#books[index < 0 ? this.#books.length - 1 : index - 1]?.validFrom ?? Infinity
    return this.#current
  }

  /** The variables as a book: what version 0 means. */
  get variables(): CompiledBook {
    return this.#default
  }

  /** Reads the books again. What was set before this was called is known when it resolves. */
  async read(): Promise<void> {
    // A read that is under way may have begun before the book was there.
    while (this.#reading) await this.#reading.catch(() => undefined)
    this.#reading = this.#read()
    try {
      await this.#reading
    } finally {
      this.#reading = null
    }
  }

  /** The same for news from elsewhere: nobody waits for it, and it is tried until it is done. */
  refresh(): void {
    clearTimeout(this.#timer)
    this.read().catch((error: unknown) => {
      this.#deps.log.warn({ err: error }, 'the price books could not be read and will be tried again')
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
    // What was set is never changed, so a compiled book stays right.
    this.#books = rows.map((row) => known.get(row.version) ?? new CompiledBook(row.version, row.validFrom, row))
    this.#from = Infinity
    this.#until = -Infinity
  }
}

/** What a book says: those that were set are in the store, the variables are at hand. */
export async function listsOf(
  { prices, store }: { prices: Pick<PriceBooks, 'variables'>; store: Pick<Store<PriceBookOperations>, 'priceBook'> },
  version: number,
): Promise<PriceLists | null> {
  return version === 0 ? prices.variables.lists : store.priceBook({ version })
}

/** The variables that price calls where no book was set. Null = the same as the normal price. */
export interface PriceVariables {
  people: number
  companies: number
  stale: number | null
  thin: number | null
  bypass: number | null
  /** Of a company found by its domain; null = nothing from the store, the price of a company from a provider. */
  resolve: number | null
  /** Of a record found by a match, however it is answered; null = the price of the record. */
  match: number | null
}

/**
 * The variables as a book, version 0: it holds until the first one is set. What the caller got goes before how it was asked
 * for: a stale or a thin answer has that price even when the cache was bypassed, and one that is both has the lower of the two.
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
