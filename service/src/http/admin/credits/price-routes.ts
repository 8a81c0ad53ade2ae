import type { PriceBook } from '@vitae/contract/admin'
import type { CompiledBook } from '../../../credits/prices/compiled-book.ts'
import { readPriceLists, unreachedLines, type PriceLists } from '../../../credits/prices/price-book.ts'
import type { StoredPriceBook } from '../../../credits/prices/store/price-books.ts'
import { Complaints } from '../../../foundation/failure.ts'
import type { AppDeps } from '../../deps.ts'
import { nextCursor, numberCursor } from '../pagination.ts'
import { isoTime, parseMoment } from '../../../foundation/clock.ts'
import type { AdminHandlers } from '../admin-route.ts'

/** The price book: what holds now, what will, what did, and a new one. */
export const priceHandlers = {
  async showPrices(_call, { store, clock, prices }) {
    const now = clock.now()
    const known = await store.priceBooksFrom({ at: now })
    const current = known.find(({ validFrom }) => validFrom <= now)
    const next = known.filter(({ validFrom }) => validFrom > now).toReversed()
    return { current: current ? bookView(current) : variablesView(prices.variables), next: next.map(bookView) }
  },

  async priceHistory({ query: { cursor, limit = 100 } }, { store }) {
    const books = await store.priceBookHistory({ limit, before: numberCursor(cursor) })
    return { books: books.map(bookView), next_cursor: nextCursor(books, limit, ({ version }) => String(version)) }
  },

  async checkPrices({ body }, deps) {
    const read = readDocument(deps, body)
    if ('problems' in read) return { ok: false, errors: read.problems.listed, warnings: [], more: read.problems.more }
    const warnings = warningsOf(read.lists)
    return { ok: true, errors: [], warnings: warnings.listed, more: warnings.more }
  },

  async setPrices({ admin, body }, deps) {
    const read = readDocument(deps, body)
    if ('problems' in read) throw read.problems.failure()
    const at = deps.clock.now()
    const earliest = at + deps.priceLeadMs
    const { lists, validFrom } = read
    const book = await deps.store.addPriceBook({
      ...lists,
      validFrom: validFrom ?? earliest,
      earliest,
      actor: admin.actor,
      at,
    })
    await deps.pricesChanged()
    return bookView(book)
  },
} satisfies Partial<AdminHandlers>

type ReadDocument = { lists: PriceLists; validFrom: number | null } | { problems: Complaints }

function readDocument({ clock, priceLeadMs }: AppDeps, document: unknown): ReadDocument {
  const read = readPriceLists(document)
  const problems = 'problems' in read ? read.problems : new Complaints()
  const { valid_from: given = null } = document as { valid_from?: unknown }
  const validFrom = given === null ? null : typeof given === 'string' ? parseMoment(given) : NaN
  const earliest = clock.now() + priceLeadMs
  if (Number.isNaN(validFrom)) problems.add('valid_from', 'must be a time such as 2026-12-01T00:00:00Z')
  else if (validFrom !== null && validFrom < earliest)
    problems.add('valid_from', `must not be before ${isoTime(earliest)}`)
  return problems.count > 0 || 'problems' in read ? { problems } : { lists: read.lists, validFrom }
}

function warningsOf(lists: PriceLists): Complaints {
  const warnings = new Complaints()
  for (const { line, behind } of unreachedLines(lists))
    warnings.add(`line ${line}`, `is never reached: line ${behind} fits all that it fits`)
  return warnings
}

function bookView({ version, validFrom, setAt, actor, lines, parts }: StoredPriceBook): PriceBook {
  return { version, valid_from: isoTime(validFrom), set_at: isoTime(setAt), actor, ...listsView({ lines, parts }) }
}

function variablesView({ version, lists }: CompiledBook): PriceBook {
  return { version, valid_from: null, set_at: null, actor: null, ...listsView(lists) }
}

function listsView({ lines, parts }: PriceLists): Pick<PriceBook, 'lines' | 'parts'> {
  return { lines: lines.map((line) => ({ ...line })), parts: parts.map((part) => ({ ...part })) }
}
