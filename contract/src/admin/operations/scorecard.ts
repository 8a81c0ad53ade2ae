import Type, { type Static } from 'typebox'
import type { AdminOperationRows } from '../operation.ts'
import { Time, KindName, Count, orNull } from '../schemas.ts'

const ranges = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const
const Money = orNull(Type.Number({ minimum: 0 }))
const Score = Type.Object({
  provider: Type.String(),
  label: Type.String(),
  kind: KindName,
  calls: Type.Integer({ description: 'How often it was asked.' }),
  found: Count,
  not_found: Count,
  thin: Type.Integer({ description: 'Found, but nothing beyond who it is about.' }),
  usable: Type.Integer({ description: 'Found and not thin.' }),
  faults: Type.Record(Type.String(), Count, {
    description: 'By kind: unavailable, timeout, invalid, rejected, limited.',
  }),
  p50_ms: orNull(Type.Number({ description: 'Of answered calls.' })),
  p95_ms: orNull(Type.Number()),
  money: Money,
  money_unit: orNull(
    Type.String({
      description:
        'VITAE_CURRENCY if VITAE_<PROVIDER>_COST is set; otherwise `credits`, as the provider reports them; null if the cost is unknown.',
    }),
  ),
  money_per_call: Money,
  money_per_usable_record: Money,
  records_read: Type.Integer({ description: 'How many of its newest records the rates are of.' }),
  fill_rate: Type.Record(Type.String(), Type.Number(), {
    description: 'Per field of the contract, the share of these records in which it has a value, 0 to 1.',
  }),
  alone: Type.Array(Type.String(), { description: 'Fields that it fills and no other provider did.' }),
  days: Type.Array(
    Type.Object({
      day: Type.String({ description: 'The UTC day, `2026-11-14`.' }),
      answers: Type.Integer({ minimum: 1, description: 'Answers that were counted.' }),
      rates: Type.Record(Type.String(), Type.Number(), {
        description: 'Per unit of the record, the share of these answers in which it has a value; 0 if left out.',
      }),
    }),
    { description: 'The last 15 days with answers, independent of the range.' },
  ),
  drifted: Type.Array(Type.Object({ unit: Type.String(), usual: Type.Number(), now: Type.Number() }), {
    description: 'Units that it fills less than half as often as on the 14 days before.',
  }),
})
export type Score = Static<typeof Score>
const Disagreement = Type.Object({
  kind: KindName,
  providers: Type.Array(Type.String()),
  records: Type.Integer({ description: 'How many records of both were compared.' }),
  fields: Type.Array(
    Type.Object({
      field: Type.String(),
      compared: Type.Integer({ description: 'Records in which both have a value.' }),
      differ: Type.Integer({ description: 'Those of them in which the values differ.' }),
    }),
  ),
  examples: Type.Array(Type.String(), { description: 'Keys of example records.' }),
})

export const scorecardOperations = {
  /** Compares providers by hit rate, speed, cost and completeness of their records. */
  scoreProviders: {
    route: 'GET /providers/scorecard',
    summary: 'Rate the providers: what they find, how quick, for how much, how full',
    description:
      'Calls are all of the time, as far as their history is kept. Fill rates are of the newest 400 records per provider and kind, disagreements of the newest 200 records that two providers know. Money is counted at the present price.',
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
