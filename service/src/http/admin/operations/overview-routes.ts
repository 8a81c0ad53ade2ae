import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import { usageCounts, type UsageCount } from '../../../credits/reports/usage-counts.ts'
import { Durations } from '../../../foundation/durations.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { Attention, needsAttention } from './attention.ts'
import { ProviderView, viewProviders } from './provider-view.ts'
import { Count, orNull, Time } from '../schemas.ts'
import { dayMs, isoTime } from '../../../foundation/clock.ts'

const minuteMs = 60_000
const ranges = {
  hour: { lengthMs: 60 * minuteMs, bucket: 'minute', bucketMs: minuteMs },
  day: { lengthMs: dayMs, bucket: '15 minutes', bucketMs: 15 * minuteMs },
  week: { lengthMs: 7 * dayMs, bucket: '2 hours', bucketMs: 120 * minuteMs },
  month: { lengthMs: 30 * dayMs, bucket: 'day', bucketMs: dayMs },
} as const
type Range = keyof typeof ranges

const Point = Type.Object({
  at: Time,
  live: Count,
  store: Count,
  stale: Count,
  client_errors: Count,
  server_errors: Count,
  credits: Count,
  p50_ms: orNull(Type.Number()),
  p95_ms: orNull(Type.Number()),
})
const Spending = Type.Object({
  project: Type.String(),
  environment: Type.String(),
  available: Type.Integer(),
  burnt: Type.Integer({ description: 'Credits spent in the range.' }),
  per_day: Type.Number({ description: 'Credits spent per day, over the last 14 days.' }),
  days_left: orNull(Type.Number({ description: 'At that spend. Null where nothing is being spent.' })),
})
const Overview = Type.Object({
  range: Type.Enum(Object.keys(ranges)),
  bucket: Type.String(),
  bucket_seconds: Type.Integer({ description: 'How long a bucket is. Buckets of a day are days in UTC.' }),
  series: Type.Array(Point),
  totals: Type.Object({
    calls: Count,
    live: Count,
    store: Count,
    stale: Count,
    failures: Count,
    client_errors: Type.Integer({ description: 'Refused calls, 4xx.' }),
    server_errors: Type.Integer({ description: 'Calls that failed here or upstream, 5xx.' }),
    upstream_saved: Type.Integer({ description: 'Answers that needed no call to a provider.' }),
    store_share: Type.Number({ description: 'Of all answers, 0 to 1.' }),
  }),
  environments: Type.Array(Spending, { description: 'At most 100: those that spent most in the range.' }),
  environments_total: Type.Integer({ minimum: 0 }),
  providers: Type.Array(ProviderView),
  attention: Type.Array(Attention, { description: 'What needs a person, the worst first.' }),
})

/** What an operator sees first. Test keys are left out: they touch neither store nor provider nor credits. */
export function overviewRoutes(app: FastifyInstance, deps: AppDeps): void {
  const recent = recentSpend(deps)
  adminRoute(app, {
    method: 'GET',
    path: '/overview',
    operationId: 'readOverview',
    tag: 'overview',
    summary: 'Traffic, spending and providers at a glance',
    role: 'viewer',
    filtered: true,
    query: Type.Object({ range: Type.Optional(Type.Enum(Object.keys(ranges) as Range[])) }),
    response: Overview,
    async handle({ admin, query }) {
      await deps.callsWritten()
      const range: Range = query.range ?? 'day'
      const { lengthMs, bucket, bucketMs } = ranges[range]
      const until = deps.clock.now() + 1
      const since = until - lengthMs - ((until - lengthMs) % bucketMs)
      const series = new Series(since, until, bucketMs)
      const burnt = new Map<string, number>()
      const by: ('environment' | 'source' | 'status')[] = ['environment', 'source', 'status']
      const ask = { since, until, bucketMs, by, project: admin.project, environment: null, mode: 'live' as const }
      for await (const count of usageCounts(deps.store, ask)) {
        series.add(count)
        addTo(burnt, count)
      }
      const environments = await spending(deps, admin.project, burnt, await recent(admin.project))
      // Providers belong to no project.
      const providers = admin.project === null ? await viewProviders(deps) : []
      return {
        range,
        bucket,
        bucket_seconds: bucketMs / 1_000,
        series: series.points(),
        totals: totalsOf(series.points()),
        environments: busiest(environments),
        environments_total: environments.length,
        providers,
        attention: await needsAttention(deps, { project: admin.project, providers, environments }),
      }
    },
  })
}

type Point = Static<typeof Point>

/** Every bucket of the range, also those in which nothing happened. */
class Series {
  readonly #buckets = new Map<number, { point: Point; durations: Durations }>()

  constructor(since: number, until: number, bucketMs: number) {
    const none = { live: 0, store: 0, stale: 0, client_errors: 0, server_errors: 0, credits: 0 }
    for (let at = since; at < until; at += bucketMs) {
      const point = { at: isoTime(at), ...none, p50_ms: null, p95_ms: null }
      this.#buckets.set(at, { point, durations: new Durations() })
    }
  }

  add({ at, source, status = 0, calls, credits, durationStep }: UsageCount): void {
    const bucket = this.#buckets.get(at)
    if (!bucket) return
    const { point, durations } = bucket
    if (status >= 500) point.server_errors += calls
    else if (status >= 400) point.client_errors += calls
    else if (source === 'live') point.live += calls
    else if (source === 'stale_fallback') point.stale += calls
    else point.store += calls
    point.credits += credits
    durations.add(durationStep, calls)
  }

  points(): Point[] {
    return [...this.#buckets.values()].map(({ point, durations }) => ({
      ...point,
      p50_ms: durations.percentile(0.5),
      p95_ms: durations.percentile(0.95),
    }))
  }
}

function totalsOf(points: readonly Point[]) {
  const sum = (read: (point: Point) => number) => points.reduce((total, point) => total + read(point), 0)
  const [live, store, stale] = [sum((point) => point.live), sum((point) => point.store), sum((point) => point.stale)]
  const [refused, failed] = [sum((point) => point.client_errors), sum((point) => point.server_errors)]
  const failures = refused + failed
  const answered = live + store + stale
  return {
    calls: answered + failures,
    live,
    store,
    stale,
    failures,
    client_errors: refused,
    server_errors: failed,
    upstream_saved: store,
    store_share: answered === 0 ? 0 : store / answered,
  }
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
    const spent = new Map<string, number>()
    const span = { since: now - spendDays * dayMs, until: now + 1, bucketMs: spendDays * dayMs }
    const ask = { ...span, by: ['environment' as const], project, environment: null, mode: 'live' as const }
    for await (const count of usageCounts(deps.store, ask)) addTo(spent, count)
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
