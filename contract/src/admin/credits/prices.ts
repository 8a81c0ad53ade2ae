import Type, { type Static } from 'typebox'
import { priceMatchers } from '../../prices.ts'
import { monthOr } from '../../statements.ts'
import type { AdminOperationRows } from '../operation.ts'
import { Time, Cursor, pageQuery, orNull } from '../schemas.ts'

const anyObject = Type.Record(Type.String(), Type.Unknown())
const Document = Type.Object({
  valid_from: Type.Optional(
    orNull(
      Type.String({
        description:
          'The time at which the price book takes effect, not in the past. If left out, as soon as possible.',
      }),
    ),
  ),
  lines: Type.Array(Type.Unknown(), {
    description: `The first line that matches a call sets its price, \`credits\`. A line matches by ${priceMatchers.map((name) => `\`${name}\``).join(', ')}; the last line must match every call.`,
  }),
  parts: Type.Optional(
    Type.Array(Type.Unknown(), {
      description:
        '`{part, credits}`: the credits that the part contact, network or verifications adds if the call asks for the part and the part has a value.',
    }),
  ),
})
const PriceBook = Type.Object({
  version: Type.Integer({ description: 'The version of the price book; 0 = the prices of the configuration.' }),
  valid_from: orNull(Time),
  set_at: orNull(Time),
  actor: orNull(Type.String()),
  lines: Type.Array(anyObject),
  parts: Type.Array(anyObject),
})
export type PriceBook = Static<typeof PriceBook>
const Sums = {
  calls: Type.Integer({ minimum: 0, description: 'The number of paid or free answers with a live key.' }),
  charged: Type.Integer({ minimum: 0, description: 'The credits that these calls cost.' }),
  at_least: Type.Integer({
    minimum: 0,
    description:
      'The least that they would have cost with the book. It equals `at_most` if the receipts have all facts.',
  }),
  at_most: Type.Integer({ minimum: 0, description: 'The most that they would have cost with the book.' }),
}
const PricePreview = Type.Object({
  month: Type.String({ description: 'The UTC month whose calls were priced, such as `2026-10`.' }),
  ...Sums,
  projects: Type.Array(Type.Object({ project: Type.String(), ...Sums }), {
    description: 'The 200 projects whose cost would change most; `more` counts the others.',
  }),
  more: Type.Integer({ minimum: 0 }),
  removed_calls: Type.Integer({
    minimum: 0,
    description: 'The number of answers that retention has removed. They are in no other figure.',
  }),
})
export type PricePreview = Static<typeof PricePreview>
const Problem = Type.Object({ parameter: Type.String(), detail: Type.String() })

/** Price books: current, future and past ones, and setting a new one. */
export const priceOperations = {
  showPrices: {
    route: 'GET /prices',
    summary: 'Show the price book in effect, and the books that follow',
    role: 'viewer',
    scope: 'whole service',
    response: Type.Object({ current: PriceBook, next: Type.Array(PriceBook) }),
  },
  priceHistory: {
    route: 'GET /prices/history',
    summary: 'List all price books that were ever set, newest first',
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
      errors: Type.Array(Problem, { description: 'The first 20 errors. A book with errors cannot be set.' }),
      warnings: Type.Array(Problem, {
        description: 'The first 20 price lines that never apply, because an earlier line matches the same calls.',
      }),
      more: Type.Integer({ minimum: 0, description: 'The number of further errors and warnings that are not listed.' }),
    }),
  },
  previewPrices: {
    route: 'POST /prices/preview',
    summary: 'Show what the calls of a month would have cost with a price book',
    description:
      'Nothing is set. The price is exact if the receipts have every fact that the book asks for. Otherwise the answer has the least and the most that the calls could have cost. A receipt does not tell, for example, whether a stored record had a value in an optional part that had no price then.',
    role: 'viewer',
    scope: 'whole service',
    bodyLimit: 262_144,
    query: Type.Object({ month: monthOr('previous') }),
    body: anyObject,
    response: PricePreview,
  },
  setPrices: {
    route: 'POST /prices',
    summary: 'Set a price book',
    description:
      'A book with an error is refused, and the first 20 errors are returned. A book never changes after it is set: to change prices, set another book. With several nodes a book takes effect after one minute at the earliest, so that every node has read it.',
    role: 'billing',
    scope: 'whole service',
    status: 201,
    bodyLimit: 262_144,
    body: Document,
    response: PriceBook,
  },
} satisfies AdminOperationRows
