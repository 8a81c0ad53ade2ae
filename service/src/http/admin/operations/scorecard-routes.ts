import type { AdminAnswer, Score } from '@vitae/contract/admin'
import { scoreProviders, type ProviderScore } from '../../../lifecycle/scorecard/scorecard.ts'
import { dayMs, isoTime } from '../../../foundation/clock.ts'
import type { AdminHandlers } from '../admin-route.ts'

type Range = AdminAnswer<'scoreProviders'>['range']

const ranges: Record<Range, number> = {
  hour: dayMs / 24,
  day: dayMs,
  week: 7 * dayMs,
  month: 30 * dayMs,
  quarter: 91 * dayMs,
  year: 365 * dayMs,
}

export const scorecardHandlers = {
  async scoreProviders({ query: { range = 'month' } }, deps) {
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
} satisfies Partial<AdminHandlers>

function scoreView({ tally, ...score }: ProviderScore): Score {
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
