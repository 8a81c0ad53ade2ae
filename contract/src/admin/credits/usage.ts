import Type, { type Static } from 'typebox'
import type { AdminOperationRows } from '../operation.ts'
import { Time, KindName, Count, Cursor, Zone, spanQuery, orNull } from '../schemas.ts'

/** The groupings of usage for operators. */
export const usageGroups = ['project', 'environment', 'key', 'tag', 'endpoint', 'source', 'status', 'day'] as const

export const usagePeriods = ['auto', 'hour', 'day', 'month', 'all'] as const
export const UsageRow = Type.Object({
  period: Time,
  day: Type.Optional(Type.String({ description: 'The UTC day of the row, `2026-11-14`.' })),
  project: Type.Optional(Type.String()),
  environment: Type.Optional(Type.String()),
  key_id: Type.Optional(Type.String()),
  key_label: Type.Optional(orNull(Type.String({ description: 'The label of the key. Only with `top`.' }))),
  key_display: Type.Optional(
    Type.String({ description: 'The first and last characters of the key. Only with `top`.' }),
  ),
  tag: Type.Optional(
    orNull(Type.String({ description: 'The X-Spend-Tag of the calls; null for calls without a tag.' })),
  ),
  kind: Type.Optional(orNull(KindName)),
  source: Type.Optional(orNull(Type.String())),
  status: Type.Optional(Type.Integer()),
  rest: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'The number of groups that this row sums up, because they are not listed. Only with `top`.',
    }),
  ),
  calls: Count,
  credits: Count,
  credits_before: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'The credits in the previous period of the same length. Only with `compare`.',
    }),
  ),
  p50_ms: orNull(Type.Number()),
  p95_ms: orNull(Type.Number()),
})
export type UsageRow = Static<typeof UsageRow>

/** Maximum number of rows per page. */
export const usageRowsAtMost = 1_000

const topAtMost = 100
const UsageQuery = Type.Object({
  group: Type.Optional(
    Type.String({ description: `The groups to count by, separated by commas: ${usageGroups.join(', ')}.` }),
  ),
  per: Type.Optional(
    Type.Enum([...usagePeriods], {
      description:
        'The length of a period. `all`: one period for the whole time. `auto`: minutes up to two hours, 15 minutes up to two days, otherwise days.',
    }),
  ),
  ...spanQuery,
  zone: Type.Optional(Zone),
  as_of: Type.Optional(
    Type.String({
      description:
        'Count only calls that were answered up to this time. The same query with the same time always returns the same counts.',
    }),
  ),
  project: Type.Optional(Type.String()),
  environment: Type.Optional(Type.String()),
  key_id: Type.Optional(Type.String()),
  tag: Type.Optional(
    Type.String({ description: 'Only calls with this X-Spend-Tag. `(none)`: only calls without a tag.' }),
  ),
  mode: Type.Optional(
    Type.Enum(['live', 'test', 'all'], { description: 'Count calls of live keys, test keys or all; live by default.' }),
  ),
  top: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: topAtMost,
      description:
        'The number of groups to list. Lists the groups that spent most in the whole time, largest first. All other groups are summed up in one row with `rest`.',
    }),
  ),
  compare: Type.Optional(
    Type.Boolean({ description: 'Return the credits of the previous period of the same length too. Needs `top`.' }),
  ),
  format: Type.Optional(Type.Enum(['json', 'csv'])),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: usageRowsAtMost })),
  cursor: Type.Optional(Type.String()),
})
const Usage = Type.Object({
  as_of: Time,
  since: Time,
  until: Time,
  bucket_seconds: Type.Optional(Type.Integer({ description: 'The length of a period. Only with `per=auto`.' })),
  rows: Type.Array(UsageRow, { maxItems: usageRowsAtMost }),
  groups: Type.Optional(Type.Integer({ minimum: 0, description: 'The number of all groups. Only with `top`.' })),
  total: Type.Optional(
    Type.Object(
      { calls: Count, credits: Count, credits_before: Type.Optional(Type.Integer({ minimum: 0 })) },
      { description: 'The sums over all groups. Only with `top`.' },
    ),
  ),
  next_cursor: Cursor,
})

export const usageOperations = {
  /** Counts calls and credits by period and by the requested groups. */
  readUsage: {
    route: 'GET /usage',
    summary: 'Count calls and credits per period',
    description: `An answer has at most ${usageRowsAtMost} rows: page with \`cursor\` until \`next_cursor\` is null. Without \`top\`, rows are sorted by time and names, and CSV contains all of them. With \`top\`, the groups that spent most come first, all others are one row, and CSV contains the same rows. Periods without calls are left out. Durations are exact to ten percent. Grouped by key or tag they are null, except with \`per=hour\`. Every call counts, even a call over a rate limit that the call log does not keep. Credits add up to the ledger; after retention has removed calls, they add up for whole days.`,
    role: 'viewer',
    scope: 'own part',
    query: UsageQuery,
    response: Usage,
    produces: { 'text/csv': Type.String() },
  },
  /** Savings of the store: provider calls that were not needed, and their price. */
  readSavings: {
    route: 'GET /usage/savings',
    summary: 'Show what answers from the store saved: provider calls, provider credits and money',
    description:
      'A saved call counts as the average cost of an answered provider call in the same time, by kind of record. If no provider was asked in that time, the price of the first provider with a price counts.',
    role: 'viewer',
    scope: 'whole service',
    query: Type.Object(spanQuery),
    response: Type.Object({
      calls: Count,
      credits: orNull(
        Type.Number({ description: 'The saved provider credits, in the units that the providers report.' }),
      ),
      money: orNull(
        Type.Number({ description: 'The saved money in VITAE_CURRENCY. Null if no VITAE_<PROVIDER>_COST is set.' }),
      ),
      currency: Type.String(),
    }),
  },
} satisfies AdminOperationRows
