import type { UsageAsk } from '../credits/reports/usage-ask.ts'
import { dayMs } from '../foundation/clock.ts'
import { needsAttention } from './attention.ts'
import type { OperatorDeps } from './deps.ts'
import { Series, totalsOf } from './overview-series.ts'
import { type Outcomes, outcomesByPlace, spikeDays } from './spikes.ts'
import { viewProviders } from './view-providers.ts'

interface Span {
  since: number
  until: number
  bucket: UsageAsk['bucket']
  /** The start of each bucket. */
  starts: readonly number[]
}

/** Reads traffic, spending and providers in a time range, of one project or of all (null). */
export async function readOverview(deps: OperatorDeps, project: string | null, { starts, ...span }: Span) {
  const by = ['environment', 'source', 'status'] as const
  const ask = { ...span, by, project, environment: null, mode: 'live' as const, durations: true }
  const regroup = [{ by: ['source', 'status'] as const }, { by: ['environment'] as const, isTotal: true }]
  const [counts = [], spent = []] = await deps.store.usage.countUsage({ ask, regroup })
  const series = new Series(starts)
  for (const count of counts) series.add(count)
  const burnt = new Map(spent.map((count) => [JSON.stringify([count.project, count.environment]), count.credits]))
  const lately = await lastDays(deps, project)
  const environments = await spending(deps, project, burnt, lately.spent)
  // Providers belong to no project, so tokens of one project do not see them.
  const providers = project === null ? await viewProviders(deps) : []
  const points = series.points()
  return {
    series: points,
    totals: totalsOf(points),
    environments: busiest(environments),
    environments_total: environments.length,
    providers,
    ...(await needsAttention(deps, { project, providers, environments, usual: lately.usual })),
  }
}

const spendKeptMs = 5 * 60_000

type Places = Map<string, Outcomes & { credits: number }>
interface LastDays {
  at: number
  /** Of the last 14 days. */
  spent: Places
  /** Of the 14 days before today, from their sums. A spike of today does not count as usual. */
  usual: Places
}
type KeptDays = Map<string | null, LastDays>
const keptDays = new WeakMap<OperatorDeps['store'], KeptDays>()

/** Credits and outcomes of the last 14 days per environment. Cached for five minutes, because the page polls every ten seconds. */
async function lastDays(deps: OperatorDeps, project: string | null): Promise<LastDays> {
  const kept: KeptDays = keptDays.get(deps.store) ?? new Map()
  keptDays.set(deps.store, kept)
  const now = deps.clock.now()
  const known = kept.get(project)
  if (known && now - known.at < spendKeptMs) return known
  const today = now - (now % dayMs)
  const read = (since: number, until: number) => outcomesByPlace(deps, { project, since, until })
  const spent = await read(now - spikeDays * dayMs, now + 1)
  const days = { at: now, spent, usual: await read(today - spikeDays * dayMs, today) }
  kept.set(project, days)
  return days
}

const environmentsShown = 100

/** The environments that spent most, in their original order; all of them if they are few. */
function busiest<Row extends { burnt: number }>(rows: Row[]): Row[] {
  if (rows.length <= environmentsShown) return rows
  const first = new Set(rows.toSorted((a, b) => b.burnt - a.burnt).slice(0, environmentsShown))
  return rows.filter((row) => first.has(row))
}

/** Spending of each environment in the range, and the days left at the rate of the last 14 days. */
async function spending(deps: OperatorDeps, project: string | null, burnt: Map<string, number>, recent: Places) {
  const projects = await deps.store.projects.listProjects({ project, at: deps.clock.now() })
  return projects.flatMap(({ name, environments }) =>
    environments.map((environment) => {
      const key = JSON.stringify([name, environment.name])
      const perDay = (recent.get(key)?.credits ?? 0) / spikeDays
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
