import { countUsage, type UsageCount } from '../../../credits/reports/usage-counts.ts'
import type { AppDeps } from '../../deps.ts'
import { needsAttention } from './attention.ts'
import { Series, totalsOf } from './overview-series.ts'
import { viewProviders } from './provider-routes.ts'
import { readTime } from '../read-time.ts'
import { invalidParameter } from '../../validate.ts'
import { dayMs, isoTime } from '../../../foundation/clock.ts'
import type { AdminHandlers } from '../admin-route.ts'

const minuteMs = 60_000

const ranges = { hour: 60 * minuteMs, day: dayMs, week: 7 * dayMs, month: 30 * dayMs } as const

type Range = keyof typeof ranges

const daysAtMost = 400

/** Up to so long a time, buckets are so long. Those of a day come from sums, the others from the calls themselves. */
const buckets = [
  { upToMs: 2 * 60 * minuteMs, bucket: 'minute', bucketMs: minuteMs },
  { upToMs: 2 * dayMs, bucket: '15 minutes', bucketMs: 15 * minuteMs },
  { upToMs: Infinity, bucket: 'day', bucketMs: dayMs },
] as const

/** What an operator sees first. Test keys are left out: they touch neither store nor provider nor credits. */
export const overviewHandlers = {
  async readOverview({ admin, query }, deps) {
    await deps.callsWritten()
    const { range, since, until, bucket, bucketMs } = readRange(query, deps.clock.now())
    const by = ['environment', 'source', 'status'] as const
    const whole = { project: admin.project, environment: null, mode: 'live' as const, durations: true }
    const { series, burnt } = await countUsage(deps.store, { since, until, bucketMs, by, ...whole }, async (counts) => {
      const sums = { series: new Series(since, until, bucketMs), burnt: new Map<string, number>() }
      for await (const count of counts) {
        sums.series.add(count)
        addTo(sums.burnt, count)
      }
      return sums
    })
    const environments = await spending(deps, admin.project, burnt, await recentSpend(deps, admin.project))
    // Providers belong to no project.
    const providers = admin.project === null ? await viewProviders(deps) : []
    const points = series.points()
    return {
      range,
      since: isoTime(since),
      until: isoTime(until),
      bucket,
      bucket_seconds: bucketMs / 1_000,
      series: points,
      totals: totalsOf(points),
      environments: busiest(environments),
      environments_total: environments.length,
      providers,
      attention: await needsAttention(deps, { project: admin.project, providers, environments }),
    }
  },
} satisfies Partial<AdminHandlers>

/** The time that was asked for, and how long its buckets are. A cut bucket at the beginning is a whole one. */
function readRange(query: { range?: Range; since?: string; until?: string }, now: number) {
  const range = query.since === undefined ? (query.range ?? 'day') : null
  const until = Math.min(now + 1, query.until === undefined ? Infinity : readTime('until', query.until, now))
  const start = range === null ? readTime('since', query.since ?? '', now) : until - ranges[range]
  if (until - start > daysAtMost * dayMs)
    throw invalidParameter('since', `must lie at most ${daysAtMost} days before the end`)
  const { bucket, bucketMs } = buckets.find(({ upToMs }) => until - start <= upToMs) ?? buckets[2]
  return { range, since: start - (start % bucketMs), until, bucket, bucketMs }
}

const spendDays = 14

const spendKeptMs = 5 * minuteMs

type RecentSpend = Map<string | null, { at: number; spent: Map<string, number> }>
const recentSpends = new WeakMap<AppDeps['store'], RecentSpend>()

/** Credits of the last 14 days per environment. Counted again every five minutes only: the page asks every ten seconds. */
async function recentSpend({ store, clock }: AppDeps, project: string | null): Promise<Map<string, number>> {
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

/** Those that spent most, in the order that they came in; all of them where they are few. */
function busiest<Row extends { burnt: number }>(rows: Row[]): Row[] {
  if (rows.length <= environmentsShown) return rows
  const first = new Set(rows.toSorted((a, b) => b.burnt - a.burnt).slice(0, environmentsShown))
  return rows.filter((row) => first.has(row))
}

/** What each environment spent in the range, and how long the rest will do at the spend of the last 14 days. */
async function spending(
  deps: AppDeps,
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
