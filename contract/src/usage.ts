import Type, { type Static } from 'typebox'
import { FilledUnit } from './provenance.ts'
import { dataSources } from './headers.ts'
import { kinds } from './kinds.ts'
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
  tag: Type.Optional(nullable(Type.String({ description: 'The `X-Spend-Tag`; null for calls without one.' }))),
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
    as_of: Type.String({ format: 'date-time', description: 'Calls that were answered later are not counted.' }),
    rows: Type.Array(UsageRow),
    total: closed({ calls: Figure, credits: Figure }),
  },
  'What all keys of the environment have called and paid.',
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
    held: Type.Integer({ minimum: 0, description: 'Credits that were set aside before a provider was asked.' }),
    charged: Figure,
    price: closed({
      book: Type.Integer({
        minimum: 0,
        description: 'The version of the price book; 0 = the prices of the configuration.',
      }),
      lines: Type.Array(closed({ line: Type.String(), credits: Type.Integer() }), {
        description: 'The lines that applied; empty if nothing was priced.',
      }),
      less_than_held: Type.Array(Type.Enum([...lessThanHeld]), {
        description:
          'Why less was charged than was held: the call failed, it repeated a paid one (`replayed`), the record was paid for lately (`free_repeat`), what was found costs less than what could have been (`cheaper_line`), a part had no value (`part_without_value`).',
      }),
    }),
    providers: Type.Array(closed({ name: Type.String(), outcome: Type.String() }), {
      description: 'The providers that were asked for this call, in order.',
    }),
    filled: Type.Array(FilledUnit, {
      description: 'The units of the answer that came from other fetches, those that the key may see.',
    }),
    reason: Type.String({
      description:
        'Why it ended so, in a sentence: the limit of a 402 and when it renews, the rule that a 400 broke, who was asked for a 404. It repeats nothing that was sent.',
    }),
    spend_tag: Text,
  },
  'What one call cost, and why.',
)
export type Receipt = Static<typeof Receipt>
