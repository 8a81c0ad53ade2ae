import { countUsage, type UsageCount } from '../credits/reports/usage-counts.ts'
import { dayMs } from '../foundation/clock.ts'
import { needsAttention } from './attention.ts'
import type { OperatorDeps } from './deps.ts'
import { Series, totalsOf } from './overview-series.ts'
import { viewProviders } from './view-providers.ts'

interface Span {
  since: number
  until: number
  bucketMs: number
}

/** Reads traffic, spending and providers in a time range, of one project or of all (null). */
export async function readOverview(deps: OperatorDeps, project: string | null, span: Span) {
  const by = ['environment', 'source', 'status'] as const
  const whole = { project, environment: null, mode: 'live' as const, durations: true }
  const { series, burnt } = await countUsage(deps.store, { ...span, by, ...whole }, async (counts) => {
    const sums = { series: new Series(span.since, span.until, span.bucketMs), burnt: new Map<string, number>() }
    for await (const count of counts) {
      sums.series.add(count)
      addTo(sums.burnt, count)
    }
    return sums
  })
  const environments = await spending(deps, project, burnt, await recentSpend(deps, project))
  // Providers belong to no project, so tokens of one project do not see them.
  const providers = project === null ? await viewProviders(deps) : []
  const points = series.points()
  return {
    series: points,
    totals: totalsOf(points),
    environments: busiest(environments),
    environments_total: environments.length,
    providers,
    ...(await needsAttention(deps, { project, providers, environments })),
  }
}

const spendDays = 14

const spendKeptMs = 5 * 60_000

type RecentSpend = Map<string | null, { at: number; spent: Map<string, number> }>
const recentSpends = new WeakMap<OperatorDeps['store'], RecentSpend>()

/** Credits spent in the last 14 days per environment. Cached for five minutes, because the page polls every ten seconds. */
async function recentSpend({ store, clock }: OperatorDeps, project: string | null): Promise<Map<string, number>> {
  const kept: RecentSpend = recentSpends.get(store) ?? new Map()
  recentSpends.set(store, kept)
  const now = clock.now()
  const known = kept.get(project)
  if (known && now - known.at < spendKeptMs) return known.spent
  const span = { since: now - spendDays * dayMs, until: now + 1, bucketMs: null }
  const ask = { ...span, by: ['environment' as const], project, environment: null, mode: 'live' as const }
  const spent = await countUsage(store, ask, async (counts) => {
    const sums = new Map<string, number>()
    for await (const count of counts) addTo(sums, count)
    return sums
  })
  kept.set(project, { at: now, spent })
  return spent
}

function addTo(spent: Map<string, number>, { project, environment, credits }: UsageCount): void {
  const name = JSON.stringify([project, environment])
  spent.set(name, (spent.get(name) ?? 0) + credits)
}

const environmentsShown = 100

/** The environments that spent most, in their original order; all of them if they are few. */
function busiest<Row extends { burnt: number }>(rows: Row[]): Row[] {
  if (rows.length <= environmentsShown) return rows
  const first = new Set(rows.toSorted((a, b) => b.burnt - a.burnt).slice(0, environmentsShown))
  return rows.filter((row) => first.has(row))
}

/** Spending of each environment in the range, and the days left at the rate of the last 14 days. */
async function spending(
  deps: OperatorDeps,
  project: string | null,
  burnt: Map<string, number>,
  recent: Map<string, number>,
) {
  const projects = await deps.store.listProjects({ project, at: deps.clock.now() })
  return projects.flatMap(({ name, environments }) =>
    environments.map((environment) => {
      const key = JSON.stringify([name, environment.name])
      const perDay = (recent.get(key) ?? 0) / spendDays
      const { available } = environment
      const daysLeft = perDay > 0 ? available / perDay : null
      return {
        project: name,
        environment: environment.name,
        available,
        burnt: burnt.get(key) ?? 0,
        per_day: perDay,
        days_left: daysLeft,
      }
    }),
  )
}
