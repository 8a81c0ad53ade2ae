import Type, { type Static } from 'typebox'
import type { AdminOperationRows } from '../operation.ts'
import { Time, KindName, Count, Cursor, spanQuery, orNull } from '../schemas.ts'

/** The groupings of usage for operators. */
export const usageGroups = ['project', 'environment', 'key', 'tag', 'endpoint', 'source', 'status', 'day'] as const

export const usagePeriods = ['hour', 'day', 'month', 'all'] as const
export const UsageRow = Type.Object({
  period: Time,
  day: Type.Optional(Type.String({ description: 'UTC day.' })),
  project: Type.Optional(Type.String()),
  environment: Type.Optional(Type.String()),
  key_id: Type.Optional(Type.String()),
  key_label: Type.Optional(orNull(Type.String({ description: 'With `top`: what the key is called.' }))),
  key_display: Type.Optional(Type.String({ description: 'With `top`: how the key begins and ends.' })),
  tag: Type.Optional(orNull(Type.String({ description: 'X-Spend-Tag; null for calls without one.' }))),
  kind: Type.Optional(orNull(KindName)),
  source: Type.Optional(orNull(Type.String())),
  status: Type.Optional(Type.Integer()),
  rest: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'With `top`: the number of groups that this row adds up, because they are not shown.',
    }),
  ),
  calls: Count,
  credits: Count,
  credits_before: Type.Optional(
    Type.Integer({ minimum: 0, description: 'With `compare`: credits in the previous period of the same length.' }),
  ),
  p50_ms: orNull(Type.Number()),
  p95_ms: orNull(Type.Number()),
})
export type UsageRow = Static<typeof UsageRow>

/** Maximum number of rows per page. */
export const usageRowsAtMost = 1_000

const topAtMost = 100
const UsageQuery = Type.Object({
  group: Type.Optional(Type.String({ description: `By what to count, comma-separated: ${usageGroups.join(', ')}.` })),
  per: Type.Optional(Type.Enum([...usagePeriods], { description: '`all`: the whole time as one.' })),
  ...spanQuery,
  as_of: Type.Optional(
    Type.String({ description: 'Count what was answered up to this moment: the same now and later.' }),
  ),
  project: Type.Optional(Type.String()),
  environment: Type.Optional(Type.String()),
  key_id: Type.Optional(Type.String()),
  tag: Type.Optional(Type.String({ description: 'Calls with this X-Spend-Tag; `(none)`: calls without one.' })),
  mode: Type.Optional(
    Type.Enum(['live', 'test', 'all'], { description: 'Count calls of live keys, test keys or all; live by default.' }),
  ),
  top: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: topAtMost,
      description:
        'The number of groups to show: those that spent most in the whole time, largest first. All others become one row with `rest`.',
    }),
  ),
  compare: Type.Optional(
    Type.Boolean({ description: 'With `top`: also return the credits of the previous period of the same length.' }),
  ),
  format: Type.Optional(Type.Enum(['json', 'csv'])),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: usageRowsAtMost })),
  cursor: Type.Optional(Type.String()),
})
const Usage = Type.Object({
  as_of: Time,
  since: Time,
  until: Time,
  rows: Type.Array(UsageRow, { maxItems: usageRowsAtMost }),
  groups: Type.Optional(Type.Integer({ minimum: 0, description: 'With `top`: how many groups there are.' })),
  total: Type.Optional(
    Type.Object(
      { calls: Count, credits: Count, credits_before: Type.Optional(Type.Integer({ minimum: 0 })) },
      { description: 'With `top`: of all groups.' },
    ),
  ),
  next_cursor: Cursor,
})

export const usageOperations = {
  /** Counts calls and credits by period and by the requested groups. */
  readUsage: {
    route: 'GET /usage',
    summary: 'Count calls and credits per period',
    description: `An answer has at most ${usageRowsAtMost} rows: page with \`cursor\` until \`next_cursor\` is null. Without \`top\`, rows are sorted by time and names, and CSV contains all of them. With \`top\`, the groups that spent most come first, all others are one row, and CSV contains the same rows. Periods without calls are left out. Durations are exact to ten percent, and null by key or tag, except per hour. Every call counts, including calls over a rate limit, although the call log keeps only some of those. Credits add up to the ledger. After retention has removed calls, they do so by whole days.`,
    role: 'viewer',
    scope: 'own part',
    query: UsageQuery,
    response: Usage,
    produces: { 'text/csv': Type.String() },
  },
  /** Savings of the store: provider calls that were not needed, and their price. */
  readSavings: {
    route: 'GET /usage/savings',
    summary: 'What answers from the store saved, in calls to providers, their credits and money',
    description:
      'Uses the average cost of an answered provider call in the same time, by kind of record. If no provider was asked, uses the price of the first provider that has one.',
    role: 'viewer',
    scope: 'whole service',
    query: Type.Object(spanQuery),
    response: Type.Object({
      calls: Count,
      credits: orNull(Type.Number({ description: 'Credits of providers, as they report them.' })),
      money: orNull(Type.Number({ description: 'Null if no VITAE_<PROVIDER>_COST is set.' })),
      currency: Type.String(),
    }),
  },
} satisfies AdminOperationRows
