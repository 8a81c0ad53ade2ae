import type { AppDeps } from '../../deps.ts'
import Type, { type Static } from 'typebox'
import { scoreProviders, type ProviderScore } from '../../../lifecycle/scorecard/scorecard.ts'
import { adminRoute } from '../admin-route.ts'
import { Count, KindName, orNull, Time } from '../schemas.ts'
import { dayMs, isoTime } from '../../../foundation/clock.ts'

const ranges = {
  hour: dayMs / 24,
  day: dayMs,
  week: 7 * dayMs,
  month: 30 * dayMs,
  quarter: 91 * dayMs,
  year: 365 * dayMs,
}
type Range = keyof typeof ranges
const rangeNames = Object.keys(ranges) as Range[]

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
        'VITAE_CURRENCY where VITAE_<PROVIDER>_COST is set; else `credits`, of the provider and as it reported them; null where nothing is known.',
    }),
  ),
  money_per_call: Money,
  money_per_usable_record: Money,
  records_read: Type.Integer({ description: 'How many of its newest records the rates are of.' }),
  fill_rate: Type.Record(Type.String(), Type.Number(), {
    description: 'Per field of the contract, the share of these records in which it has a value, 0 to 1.',
  }),
  alone: Type.Array(Type.String(), { description: 'Fields that it fills and no other provider did.' }),
})
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
  examples: Type.Array(Type.String(), { description: 'Keys of records to look at.' }),
})

/** How the providers compare: what they find, how quick, for how much, and how full their records are. */
export const scorecardRoutes = adminRoute('providers', (deps: AppDeps) => ({
  route: 'GET /providers/scorecard',
  operationId: 'scoreProviders',
  summary: 'Rate the providers: what they find, how quick, for how much, how full',
  description:
    'Calls are all of the time, as far as their history is kept. Fill rates are of the newest 400 records per provider and kind, disagreements of the newest 200 records that two providers know. Money is counted at the present price.',
  role: 'viewer',
  query: Type.Object({ range: Type.Optional(Type.Enum(rangeNames)) }),
  response: Type.Object({
    range: Type.Enum(rangeNames),
    since: Time,
    until: Time,
    currency: Type.String(),
    providers: Type.Array(Score),
    disagreements: Type.Array(Disagreement),
  }),
  async handle({ query: { range = 'month' } }) {
    const until = deps.clock.now() + 1
    const since = until - ranges[range]
    const { scores, disagreements } = await scoreProviders(deps, { since, until })
    const { currency } = deps.providers
    return {
      range,
      since: isoTime(since),
      until: isoTime(until),
      currency,
      providers: scores.map(scoreView),
      disagreements,
    }
  },
}))

function scoreView({ tally, ...score }: ProviderScore): Static<typeof Score> {
  return {
    provider: tally.provider,
    label: score.label,
    kind: tally.kind,
    calls: tally.calls,
    found: tally.found,
    not_found: tally.notFound,
    thin: tally.thin,
    usable: tally.usable,
    faults: tally.faults,
    p50_ms: tally.percentile(0.5),
    p95_ms: tally.percentile(0.95),
    money: score.money,
    money_unit: score.moneyUnit,
    money_per_call: score.moneyPerCall,
    money_per_usable_record: score.moneyPerUsableRecord,
    records_read: score.recordsRead,
    fill_rate: score.fillRates,
    alone: score.alone,
  }
}
