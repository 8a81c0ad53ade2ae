import { sumOfCosts, type ProjectCost } from '../../../credits/reports/price-preview.ts'
import { monthAfter, startOfMonth, utcMonth } from '../../../foundation/clock.ts'
import { readPriceLists } from '../../../credits/prices/price-book.ts'
import type { CompiledBook } from '../../../credits/prices/compiled-book.ts'
import { readPriceDocument, warningsOf } from '../../../credits/prices/price-book.ts'
import { nextCursor, numberCursor } from '../route/pagination.ts'
import type { AdminHandlers } from '../route/admin-route.ts'

const projectsAtMost = 200
const changeOf = ({ charged, atLeast, atMost }: ProjectCost) => Math.max(atMost - charged, charged - atLeast)

/** Price books: current, future and past ones, and setting a new one. */
export const priceHandlers = {
  async showPrices(_call, { store, clock, prices }) {
    const now = clock.now()
    const known = await store.prices.priceBooksFrom({ at: now })
    const current = known.find(({ validFrom }) => validFrom <= now)
    const next = known.filter(({ validFrom }) => validFrom > now).toReversed()
    return { current: current ?? variablesBook(prices.variables), next }
  },

  async priceHistory({ query: { cursor, limit = 100 } }, { store }) {
    const books = await store.prices.priceBookHistory({ limit, before: numberCursor(cursor) })
    return { books, next_cursor: nextCursor(books, limit, ({ version }) => String(version)) }
  },

  async checkPrices({ body }, deps) {
    const read = readPriceDocument(body, deps.clock.now() + deps.priceLeadMs)
    if ('problems' in read) return { ok: false, errors: read.problems.listed, warnings: [], more: read.problems.more }
    const warnings = warningsOf(read.lists)
    return { ok: true, errors: [], warnings: warnings.listed, more: warnings.more }
  },

  async previewPrices({ query, body }, deps) {
    const read = readPriceLists(body)
    if ('problems' in read) throw read.problems.failure()
    await deps.callsWritten()
    const { month = utcMonth(startOfMonth(utcMonth(deps.clock.now())) - 1) } = query
    const { projects, removedCalls } = await deps.store.prices.pricePreview({
      since: startOfMonth(month),
      until: startOfMonth(monthAfter(month)),
      lists: read.lists,
      variables: deps.prices.variables.lists,
      hasFreeRepeats: deps.lookup.rules.repeatFreeDays > 0,
    })
    const listed = projects.toSorted((a, b) => changeOf(b) - changeOf(a)).slice(0, projectsAtMost)
    const more = projects.length - listed.length
    return { month, ...sumOfCosts(projects), projects: listed, more, removedCalls }
  },

  async setPrices({ admin, body }, deps) {
    const read = readPriceDocument(body, deps.clock.now() + deps.priceLeadMs)
    if ('problems' in read) throw read.problems.failure()
    const at = deps.clock.now()
    const earliest = at + deps.priceLeadMs
    const { lists, validFrom } = read
    const from = validFrom ?? earliest
    const book = await deps.store.prices.addPriceBook({ ...lists, validFrom: from, earliest, actor: admin.actor, at })
    await deps.pricesChanged()
    return book
  },
} satisfies Partial<AdminHandlers>

function variablesBook({ version, lists }: CompiledBook) {
  return { version, validFrom: null, setAt: null, actor: null, ...lists }
}
