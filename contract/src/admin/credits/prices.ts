import Type, { type Static } from 'typebox'
import { priceMatchers } from '../../prices.ts'
import type { AdminOperationRows } from '../operation.ts'
import { Time, Cursor, pageQuery, orNull } from '../schemas.ts'

const anyObject = Type.Record(Type.String(), Type.Unknown())
const Document = Type.Object({
  valid_from: Type.Optional(
    orNull(
      Type.String({
        description: 'When the book takes effect; as soon as possible if left out. It must not be in the past.',
      }),
    ),
  ),
  lines: Type.Array(Type.Unknown(), {
    description: `The first line that matches a call sets its price, \`credits\`. A line matches by ${priceMatchers.map((name) => `\`${name}\``).join(', ')}; the last line must match every call.`,
  }),
  parts: Type.Optional(
    Type.Array(Type.Unknown(), {
      description:
        '`{part, credits}`: the credits that contact, network or verifications add if they were asked for and have a value.',
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
    summary: 'The price book in effect, and the books that follow',
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
    summary: 'Check a price book without setting it',
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
      'A book with any error is refused, and the first 20 errors are returned. A book never changes after it is set: set a later book instead. With several nodes a book takes effect after one minute at the earliest, so that every node has read it.',
    role: 'billing',
    scope: 'whole service',
    status: 201,
    bodyLimit: 262_144,
    body: Document,
    response: PriceBook,
  },
} satisfies AdminOperationRows
