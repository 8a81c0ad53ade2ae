import { readOverview } from '../../../operators/overview.ts'
import { readTime } from '../route/read-time.ts'
import { bucketFor, hourMs } from '../../../credits/reports/usage-pages.ts'
import { readZone, startsOf, zoneDays } from '../../../credits/reports/zone-days.ts'
import { invalidParameter } from '../../../foundation/failure.ts'
import { dayMs, isoTime } from '../../../foundation/clock.ts'
import type { AdminHandlers } from '../route/admin-route.ts'

const ranges = { hour: hourMs, day: dayMs, week: 7 * dayMs, month: 30 * dayMs } as const

type Range = keyof typeof ranges

const daysAtMost = 400

/** The overview page. Test keys are excluded: they touch neither store nor providers nor credits. */
export const overviewHandlers = {
  async readOverview({ admin, query }, deps) {
    await deps.callsWritten()
    const { range, bucket, bucketMs, ...span } = readRange(query, deps.clock.now())
    const overview = await readOverview(deps, admin.project, spanOf(span, bucketMs, readZone(query.zone)))
    const times = { since: isoTime(span.since), until: isoTime(span.until), bucket, bucket_seconds: bucketMs / 1_000 }
    return { range, ...times, ...overview }
  },
} satisfies Partial<AdminHandlers>

/**
 * The requested range and its bucket length, which the future part of the range determines too. The start is rounded down
 * to a whole bucket.
 */
function readRange(query: { range?: Range; since?: string; until?: string; zone?: string }, now: number) {
  const range = query.since === undefined ? (query.range ?? 'day') : null
  const end = query.until === undefined ? now + 1 : readTime('until', query.until, now)
  const until = Math.min(now + 1, end)
  const start = range === null ? readTime('since', query.since ?? '', now) : until - ranges[range]
  if (until - start > daysAtMost * dayMs)
    throw invalidParameter('since', `must be at most ${daysAtMost} days before the end`)
  const { bucket, bucketMs } = bucketFor(end - start)
  const zone = bucketMs < dayMs ? null : readZone(query.zone)
  const [first = start] =
    zone === null ? [start - (start % bucketMs)] : startsOf(zoneDays(zone, start, until), start, until)
  return { range, since: first, until, bucket, bucketMs }
}

/** The buckets of a range, which are days of the zone or have a fixed length. */
function spanOf({ since, until }: { since: number; until: number }, bucketMs: number, zone: string | null) {
  if (bucketMs < dayMs || zone === null) {
    const starts = Array.from({ length: Math.ceil((until - since) / bucketMs) }, (_, index) => since + index * bucketMs)
    return { since, until, bucket: bucketMs, starts }
  }
  const days = zoneDays(zone, since, until)
  return { since, until, bucket: days, starts: startsOf(days, since, until) }
}
