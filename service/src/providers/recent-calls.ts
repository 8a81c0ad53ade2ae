import type { Database } from '../database/dialect.ts'
import { durationStep } from '../database/sql/duration-steps.ts'
import { Durations } from '../foundation/durations.ts'

export interface RecentCalls {
  provider: string
  calls: number
  failures: number
  p50Ms: number | null
}

// What an import wrote down was no call, and "found" and "not found" are both answers.
const answers = new Set(['found', 'not_found'])

/** How each provider has done since a moment. */
export async function recentCalls({ db }: Database, { since }: { since: number }): Promise<RecentCalls[]> {
  const rows = await db
    .selectFrom('fetches')
    .select(['provider', 'outcome', durationStep.as('step')])
    .select(({ fn }) => fn.countAll<number>().as('calls'))
    .where('at', '>=', since)
    .where('outcome', '!=', 'imported')
    .groupBy(['provider', 'outcome', durationStep])
    .execute()
  return [...Map.groupBy(rows, (row) => row.provider)].map(([provider, own]) => {
    const durations = new Durations()
    for (const { step, calls } of own) durations.add(step, Number(calls))
    const count = (counted: typeof own) => counted.reduce((sum, { calls }) => sum + Number(calls), 0)
    const failed = own.filter(({ outcome }) => !answers.has(outcome))
    return { provider, calls: count(own), failures: count(failed), p50Ms: durations.percentile(0.5) }
  })
}
