import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import type { CompiledBook } from '../../../credits/prices/compiled-book.ts'
import { matcherNames, readPriceLists, unreachedLines, type PriceLists } from '../../../credits/prices/price-book.ts'
import type { StoredPriceBook } from '../../../credits/prices/store/price-books.ts'
import { Complaints } from '../../../foundation/failure.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { nextCursor, numberCursor, pageQuery } from '../pagination.ts'
import { Cursor, orNull, Time } from '../schemas.ts'
import { isoTime, parseMoment } from '../../../foundation/clock.ts'

const tag = 'prices'
const anyObject = Type.Record(Type.String(), Type.Unknown())
const Document = Type.Object({
  valid_from: Type.Optional(
    orNull(
      Type.String({ description: 'From when it holds; as soon as possible if left out. It cannot lie in the past.' }),
    ),
  ),
  lines: Type.Array(Type.Unknown(), {
    description: `The first line that fits a call gives its price, \`credits\`. A line fits by ${matcherNames.map((name) => `\`${name}\``).join(', ')}; the last one must fit every call.`,
  }),
  parts: Type.Optional(
    Type.Array(Type.Unknown(), {
      description:
        '`{part, credits}`: what contact, network or verifications add where they were asked for and have a value.',
    }),
  ),
})
const Book = Type.Object({
  version: Type.Integer({ description: '0 = the prices of the configuration.' }),
  valid_from: orNull(Time),
  set_at: orNull(Time),
  actor: orNull(Type.String()),
  lines: Type.Array(anyObject),
  parts: Type.Array(anyObject),
})
const Problem = Type.Object({ parameter: Type.String(), detail: Type.String() })

/** The price book: what holds now, what will, what did, and a new one. */
export function priceRoutes(app: FastifyInstance, deps: AppDeps): void {
  showRoute(app, deps)
  historyRoute(app, deps)
  checkRoute(app, deps)
  setRoute(app, deps)
}

const showRoute = adminRoute(tag, ({ store, clock, prices }: AppDeps) => ({
  route: 'GET /prices',
  operationId: 'showPrices',
  summary: 'The price book that holds now, and those that are set to follow',
  role: 'viewer',
  response: Type.Object({ current: Book, next: Type.Array(Book) }),
  async handle() {
    const now = clock.now()
    const known = await store.priceBooksFrom({ at: now })
    const current = known.find(({ validFrom }) => validFrom <= now)
    const next = known.filter(({ validFrom }) => validFrom > now).toReversed()
    return { current: current ? bookView(current) : variablesView(prices.variables), next: next.map(bookView) }
  },
}))

const historyRoute = adminRoute(tag, ({ store }: AppDeps) => ({
  route: 'GET /prices/history',
  operationId: 'priceHistory',
  summary: 'All price books that were ever set, newest first',
  role: 'viewer',
  query: Type.Object(pageQuery),
  response: Type.Object({ books: Type.Array(Book), next_cursor: Cursor }),
  async handle({ query: { cursor, limit = 100 } }) {
    const books = await store.priceBookHistory({ limit, before: numberCursor(cursor) })
    return { books: books.map(bookView), next_cursor: nextCursor(books, limit, ({ version }) => String(version)) }
  },
}))

const checkRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'POST /prices/check',
  operationId: 'checkPrices',
  summary: 'Say what is wrong with a price book, without setting it',
  role: 'viewer',
  bodyLimit: 262_144,
  body: anyObject,
  response: Type.Object({
    ok: Type.Boolean(),
    errors: Type.Array(Problem, { description: 'At most 20.' }),
    warnings: Type.Array(Problem, { description: 'Lines that no call can reach; at most 20.' }),
    more: Type.Integer({ minimum: 0, description: 'How many errors or warnings are not listed.' }),
  }),
  async handle({ body }) {
    const read = readDocument(deps, body)
    if ('problems' in read) return { ok: false, errors: read.problems.listed, warnings: [], more: read.problems.more }
    const warnings = warningsOf(read.lists)
    return { ok: true, errors: [], warnings: warnings.listed, more: warnings.more }
  },
}))

const setRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'POST /prices',
  operationId: 'setPrices',
  summary: 'Set a price book',
  description:
    'One that is wrong anywhere is refused whole, and the first 20 problems are named. What is set is never changed: a later book takes its place. Behind several nodes a book begins a minute ahead at the earliest, so that all of them have read it.',
  role: 'billing',
  status: 201,
  bodyLimit: 262_144,
  body: Document,
  response: Book,
  async handle({ admin, body }) {
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
}))

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

function bookView({ version, validFrom, setAt, actor, lines, parts }: StoredPriceBook): Static<typeof Book> {
  return { version, valid_from: isoTime(validFrom), set_at: isoTime(setAt), actor, ...listsView({ lines, parts }) }
}

function variablesView({ version, lists }: CompiledBook): Static<typeof Book> {
  return { version, valid_from: null, set_at: null, actor: null, ...listsView(lists) }
}

function listsView({ lines, parts }: PriceLists): Pick<Static<typeof Book>, 'lines' | 'parts'> {
  return { lines: lines.map((line) => ({ ...line })), parts: parts.map((part) => ({ ...part })) }
}
