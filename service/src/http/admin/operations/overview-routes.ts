import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import { usageCounts, type UsageCount } from '../../../credits/reports/usage-counts.ts'
import { Durations } from '../../../foundation/durations.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { ProviderView, viewProviders } from './provider-view.ts'
import { Count, iso, orNull, Time } from '../schemas.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
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
  per_day: Type.Number({ description: 'The same, per day.' }),
  days_left: orNull(Type.Number({ description: 'Null where nothing is being spent.' })),
})
const Overview = Type.Object({
  range: Type.Enum(Object.keys(ranges)),
  bucket: Type.String(),
  series: Type.Array(Point),
  totals: Type.Object({
    calls: Count,
    live: Count,
    store: Count,
    stale: Count,
    failures: Count,
    upstream_saved: Type.Integer({ description: 'Answers that needed no call to a provider.' }),
    store_share: Type.Number({ description: 'Of all answers, 0 to 1.' }),
  }),
  environments: Type.Array(Spending),
  providers: Type.Array(ProviderView),
})

/** What an operator sees first. Test keys are left out: they touch neither store nor provider nor credits. */
export function overviewRoutes(app: FastifyInstance, deps: AppDeps): void {
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
        const name = JSON.stringify([count.project, count.environment])
        burnt.set(name, (burnt.get(name) ?? 0) + count.credits)
      }
      return {
        range,
        bucket,
        series: series.points(),
        totals: totalsOf(series.points()),
        environments: await spending(deps, admin.project, burnt, lengthMs / dayMs),
        // Providers belong to no project.
        providers: admin.project === null ? await viewProviders(deps) : [],
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
      const point = { at: iso(at), ...none, p50_ms: null, p95_ms: null }
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
  const failures = sum((point) => point.client_errors + point.server_errors)
  const answered = live + store + stale
  return {
    calls: answered + failures,
    live,
    store,
    stale,
    failures,
    upstream_saved: store,
    store_share: answered === 0 ? 0 : store / answered,
  }
}

async function spending(deps: AppDeps, project: string | null, burnt: Map<string, number>, days: number) {
  const projects = await deps.store.listProjects({ project })
  return projects.flatMap(({ name, environments }) =>
    environments.map((environment) => {
      const spent = burnt.get(JSON.stringify([name, environment.name])) ?? 0
      const perDay = spent / days
      const { available } = environment
      const daysLeft = perDay > 0 ? available / perDay : null
      return {
        project: name,
        environment: environment.name,
        available,
        burnt: spent,
        per_day: perDay,
        days_left: daysLeft,
      }
    }),
  )
}
