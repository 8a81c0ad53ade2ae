import Type, { type Static } from 'typebox'
import type { AdminOperationRows } from '../operation.ts'
import { Time, KindName, Count, orNull } from '../schemas.ts'

const ranges = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const
const Money = orNull(Type.Number({ minimum: 0 }))
const Score = Type.Object({
  provider: Type.String(),
  label: Type.String(),
  kind: KindName,
  calls: Type.Integer({ description: 'The number of calls to this provider.' }),
  found: Count,
  not_found: Count,
  thin: Type.Integer({ description: 'The number of found records that have little more than an identity.' }),
  usable: Type.Integer({ description: 'The number of found records that are not thin.' }),
  faults: Type.Record(Type.String(), Count, {
    description: 'The number of failed calls per kind of failure: unavailable, timeout, invalid, rejected, limited.',
  }),
  p50_ms: orNull(Type.Number({ description: 'The median duration of answered calls.' })),
  p95_ms: orNull(Type.Number()),
  money: Money,
  money_unit: orNull(
    Type.String({
      description:
        'The unit of the costs: VITAE_CURRENCY if VITAE_<PROVIDER>_COST is set, otherwise the `credits` that the provider reports. Null if the cost is unknown.',
    }),
  ),
  money_per_call: Money,
  money_per_usable_record: Money,
  records_read: Type.Integer({
    description: 'The number of newest records of this provider from which the fill rates are computed.',
  }),
  fill_rate: Type.Record(Type.String(), Type.Number(), {
    description: 'For each field of a record, the share of these records in which the field has a value, 0 to 1.',
  }),
  alone: Type.Array(Type.String(), { description: 'Fields that this provider filled and no other provider did.' }),
  days: Type.Array(
    Type.Object({
      day: Type.String({ description: 'The UTC day, `2026-11-14`.' }),
      answers: Type.Integer({ minimum: 1, description: 'The number of answers on this day.' }),
      rates: Type.Record(Type.String(), Type.Number(), {
        description:
          'For each unit (field or section) of the record, the share of these answers in which it has a value. Units that are left out have a share of 0.',
      }),
    }),
    { description: 'The last 15 days on which this provider answered, independent of the requested range.' },
  ),
  drifted: Type.Array(Type.Object({ unit: Type.String(), usual: Type.Number(), now: Type.Number() }), {
    description: 'Units that this provider now fills less than half as often as on the 14 days before.',
  }),
})
export type Score = Static<typeof Score>
const Disagreement = Type.Object({
  kind: KindName,
  providers: Type.Array(Type.String()),
  records: Type.Integer({ description: 'The number of compared records that both providers know.' }),
  fields: Type.Array(
    Type.Object({
      field: Type.String(),
      compared: Type.Integer({
        description: 'The number of records in which both providers have a value for this field.',
      }),
      differ: Type.Integer({ description: 'The number of compared records in which the two values differ.' }),
    }),
  ),
  examples: Type.Array(Type.String(), { description: 'Keys of records in which the two providers disagree.' }),
})

export const scorecardOperations = {
  /** Compares providers by hit rate, speed, cost and completeness of their records. */
  scoreProviders: {
    route: 'GET /providers/scorecard',
    summary: 'Compare the providers: hit rate, speed, cost and filled fields',
    description:
      'Counts all calls of the requested time, as far as the call history is kept. Fill rates are computed from the newest 400 records per provider and kind. Disagreements are computed from the newest 200 records that two providers know. Costs use the current price.',
    role: 'viewer',
    scope: 'whole service',
    query: Type.Object({ range: Type.Optional(Type.Enum(ranges)) }),
    response: Type.Object({
      range: Type.Enum(ranges),
      since: Time,
      until: Time,
      currency: Type.String(),
      providers: Type.Array(Score),
      disagreements: Type.Array(Disagreement),
    }),
  },
} satisfies AdminOperationRows
