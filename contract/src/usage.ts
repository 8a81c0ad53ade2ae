import Type, { type Static } from 'typebox'
import { FilledUnit } from './records/provenance.ts'
import { dataSources } from './headers.ts'
import { kinds } from './records/kinds.ts'
import { closed, nullable, Text } from './shapes.ts'

const Time = Type.String({ format: 'date-time' })
const Figure = Type.Integer({ minimum: 0 })

/** The groupings of usage for callers. */
export const usageColumns = ['day', 'tag', 'endpoint'] as const

export const UsageQuery = Type.Object({
  from: Type.Optional(
    Type.String({ maxLength: 40, description: 'The first day or moment, `2026-11-01`; 30 days ago if left out.' }),
  ),
  to: Type.Optional(
    Type.String({ maxLength: 40, description: 'The end of the time range, exclusive; now if left out.' }),
  ),
  by: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'The groups to count by, separated by commas: `day`, `tag`, `endpoint`; `day` if left out.',
    }),
  ),
})

/** Calls and credits of one day, tag or endpoint. */
export const UsageRow = closed({
  day: Type.Optional(Type.String({ description: 'The UTC day, `2026-11-14`.' })),
  tag: Type.Optional(
    nullable(Type.String({ description: 'The `X-Spend-Tag` of the calls; null for calls without a tag.' })),
  ),
  endpoint: Type.Optional(nullable(Type.Enum([...kinds]))),
  calls: Figure,
  credits: Figure,
})
export type UsageRow = Static<typeof UsageRow>

/** The response of `GET /v1/usage`. */
export const Usage = closed(
  {
    from: Time,
    to: Time,
    as_of: Type.String({
      format: 'date-time',
      description: 'The time of the count. Calls that were answered later are not counted.',
    }),
    rows: Type.Array(UsageRow),
    total: closed({ calls: Figure, credits: Figure }),
  },
  'The calls and credits of all keys of the environment.',
)
export type Usage = Static<typeof Usage>

export const ReceiptPath = Type.Object({
  request_id: Type.String({ maxLength: 100, description: 'The `X-Request-Id` of the answer.' }),
})

/** The reasons why a charge is lower than its hold. */
export const lessThanHeld = ['failed', 'replayed', 'free_repeat', 'cheaper_line', 'part_without_value'] as const

/** The response of `GET /v1/receipts/{request_id}`. */
export const Receipt = closed(
  {
    request_id: Type.String(),
    at: Time,
    endpoint: Type.Enum([...kinds]),
    status: Type.Integer({ description: 'The HTTP status of the answer.' }),
    source: nullable(Type.Enum([...dataSources])),
    held: Type.Integer({ minimum: 0, description: 'The credits that were held before a provider was asked.' }),
    charged: Figure,
    price: closed({
      book: Type.Integer({
        minimum: 0,
        description: 'The version of the price book; 0 = the prices of the configuration.',
      }),
      lines: Type.Array(closed({ line: Type.String(), credits: Type.Integer() }), {
        description: 'The price lines that applied; empty if the call had no price.',
      }),
      less_than_held: Type.Array(Type.Enum([...lessThanHeld]), {
        description:
          'The reason why the call charged less than it held. `failed`: the call failed. `replayed`: it repeated a paid call. `free_repeat`: the environment recently paid for this record. `cheaper_line`: the found record costs less than the maximum. `part_without_value`: an optional part had no value.',
      }),
    }),
    providers: Type.Array(closed({ name: Type.String(), outcome: Type.String() }), {
      description: 'The providers that were asked for this call, in order.',
    }),
    filled: Type.Array(FilledUnit, {
      description:
        'The units of the answer that came from another fetch than the rest. Units that the key may not see are left out.',
    }),
    reason: Type.String({
      description:
        'The reason for the outcome, in a sentence: for a 402 the limit and when it renews, for a 400 the broken rule, for a 404 the providers that were asked. It never quotes the request.',
    }),
    spend_tag: Text,
  },
  'The receipt of one call: what it cost, and why.',
)
export type Receipt = Static<typeof Receipt>
