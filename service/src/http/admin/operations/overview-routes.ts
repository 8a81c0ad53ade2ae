import Type from 'typebox'
import { countUsage, type UsageCount } from '../../../credits/reports/usage-counts.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { needsAttention } from './attention.ts'
import { Attention } from './background-trouble.ts'
import { Point, Series, Totals, totalsOf } from './overview-series.ts'
import { ProviderView, viewProviders } from './provider-routes.ts'
import { readTime, spanQuery } from '../read-time.ts'
import { orNull, Time } from '../schemas.ts'
import { invalidParameter } from '../../validate.ts'
import { dayMs, isoTime } from '../../../foundation/clock.ts'

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

const Spending = Type.Object({
  project: Type.String(),
  environment: Type.String(),
  available: Type.Integer(),
  burnt: Type.Integer({ description: 'Credits spent in the range.' }),
  per_day: Type.Number({ description: 'Credits spent per day, over the last 14 days.' }),
  days_left: orNull(Type.Number({ description: 'At that spend. Null where nothing is being spent.' })),
})
const Overview = Type.Object({
  range: orNull(Type.Enum(Object.keys(ranges))),
  since: Time,
  until: Time,
  bucket: Type.String(),
  bucket_seconds: Type.Integer({ description: 'How long a bucket is. Buckets of a day are days in UTC.' }),
  series: Type.Array(Point),
  totals: Totals,
  environments: Type.Array(Spending, { description: 'At most 100: those that spent most in the range.' }),
  environments_total: Type.Integer({ minimum: 0 }),
  providers: Type.Array(ProviderView),
  attention: Type.Array(Attention, { description: 'What needs a person, the worst first.' }),
})

/** What an operator sees first. Test keys are left out: they touch neither store nor provider nor credits. */
export const overviewRoutes = adminRoute('overview', (deps: AppDeps) => {
  const recent = recentSpend(deps)
  return {
    route: 'GET /overview',
    operationId: 'readOverview',
    summary: 'Traffic, spending and providers at a glance',
    role: 'viewer',
    filtered: true,
    query: Type.Object({
      range: Type.Optional(
        Type.Enum(Object.keys(ranges) as Range[], { description: 'How far back; not together with since.' }),
      ),
      ...spanQuery,
    }),
    response: Overview,
    async handle({ admin, query }) {
      await deps.callsWritten()
      const { range, since, until, bucket, bucketMs } = readRange(query, deps.clock.now())
      const by = ['environment', 'source', 'status'] as const
      const whole = { project: admin.project, environment: null, mode: 'live' as const, durations: true }
      const { series, burnt } = await countUsage(
        deps.store,
        { since, until, bucketMs, by, ...whole },
        async (counts) => {
          const sums = { series: new Series(since, until, bucketMs), burnt: new Map<string, number>() }
          for await (const count of counts) {
            sums.series.add(count)
            addTo(sums.burnt, count)
          }
          return sums
        },
      )
      const environments = await spending(deps, admin.project, burnt, await recent(admin.project))
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
  }
})

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

/** Credits of the last 14 days per environment. Counted again every five minutes only: the page asks every ten seconds. */
function recentSpend(deps: AppDeps): (project: string | null) => Promise<Map<string, number>> {
  const kept = new Map<string | null, { at: number; spent: Map<string, number> }>()
  return async (project) => {
    const now = deps.clock.now()
    const known = kept.get(project)
    if (known && now - known.at < spendKeptMs) return known.spent
    const span = { since: now - spendDays * dayMs, until: now + 1, bucketMs: null }
    const ask = { ...span, by: ['environment' as const], project, environment: null, mode: 'live' as const }
    const spent = await countUsage(deps.store, ask, async (counts) => {
      const sums = new Map<string, number>()
      for await (const count of counts) addTo(sums, count)
      return sums
    })
    kept.set(project, { at: now, spent })
    return spent
  }
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
