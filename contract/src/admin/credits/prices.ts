import Type, { type Static } from 'typebox'
import { priceMatchers } from '../../prices.ts'
import type { AdminOperationRows } from '../operation.ts'
import { Time, Cursor, pageQuery, orNull } from '../schemas.ts'

const anyObject = Type.Record(Type.String(), Type.Unknown())
const Document = Type.Object({
  valid_from: Type.Optional(
    orNull(
      Type.String({ description: 'From when it holds; as soon as possible if left out. It cannot lie in the past.' }),
    ),
  ),
  lines: Type.Array(Type.Unknown(), {
    description: `The first line that fits a call gives its price, \`credits\`. A line fits by ${priceMatchers.map((name) => `\`${name}\``).join(', ')}; the last one must fit every call.`,
  }),
  parts: Type.Optional(
    Type.Array(Type.Unknown(), {
      description:
        '`{part, credits}`: what contact, network or verifications add where they were asked for and have a value.',
    }),
  ),
})
const PriceBook = Type.Object({
  version: Type.Integer({ description: '0 = the prices of the configuration.' }),
  valid_from: orNull(Time),
  set_at: orNull(Time),
  actor: orNull(Type.String()),
  lines: Type.Array(anyObject),
  parts: Type.Array(anyObject),
})
export type PriceBook = Static<typeof PriceBook>
const Problem = Type.Object({ parameter: Type.String(), detail: Type.String() })

/** Price books: current, future and past ones, and setting a new one. */
export const priceOperations = {
  showPrices: {
    route: 'GET /prices',
    summary: 'The price book that holds now, and those that are set to follow',
    role: 'viewer',
    scope: 'whole service',
    response: Type.Object({ current: PriceBook, next: Type.Array(PriceBook) }),
  },
  priceHistory: {
    route: 'GET /prices/history',
    summary: 'All price books that were ever set, newest first',
    role: 'viewer',
    scope: 'whole service',
    query: Type.Object(pageQuery),
    response: Type.Object({ books: Type.Array(PriceBook), next_cursor: Cursor }),
  },
  checkPrices: {
    route: 'POST /prices/check',
    summary: 'Say what is wrong with a price book, without setting it',
    role: 'viewer',
    scope: 'whole service',
    bodyLimit: 262_144,
    body: anyObject,
    response: Type.Object({
      ok: Type.Boolean(),
      errors: Type.Array(Problem, { description: 'At most 20.' }),
      warnings: Type.Array(Problem, { description: 'Lines that no call can reach; at most 20.' }),
      more: Type.Integer({ minimum: 0, description: 'How many errors or warnings are not listed.' }),
    }),
  },
  setPrices: {
    route: 'POST /prices',
    summary: 'Set a price book',
    description:
      'One that is wrong anywhere is refused whole, and the first 20 problems are named. What is set is never changed: a later book takes its place. Behind several nodes a book begins a minute ahead at the earliest, so that all of them have read it.',
    role: 'billing',
    scope: 'whole service',
    status: 201,
    bodyLimit: 262_144,
    body: Document,
    response: PriceBook,
  },
} satisfies AdminOperationRows
