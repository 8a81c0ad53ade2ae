import { readOverview } from '../../../operators/overview.ts'
import { readTime } from '../read-time.ts'
import { invalidParameter } from '../../../foundation/failure.ts'
import { dayMs, isoTime } from '../../../foundation/clock.ts'
import type { AdminHandlers } from '../admin-route.ts'

const minuteMs = 60_000

const ranges = { hour: 60 * minuteMs, day: dayMs, week: 7 * dayMs, month: 30 * dayMs } as const

type Range = keyof typeof ranges

const daysAtMost = 400

/** Bucket length by length of the range. Days come from daily sums, shorter buckets from the calls themselves. */
const buckets = [
  { upToMs: 2 * 60 * minuteMs, bucket: 'minute', bucketMs: minuteMs },
  { upToMs: 2 * dayMs, bucket: '15 minutes', bucketMs: 15 * minuteMs },
  { upToMs: Infinity, bucket: 'day', bucketMs: dayMs },
] as const

/** The overview page. Test keys are excluded: they touch neither store nor providers nor credits. */
export const overviewHandlers = {
  async readOverview({ admin, query }, deps) {
    await deps.callsWritten()
    const { range, since, until, bucket, bucketMs } = readRange(query, deps.clock.now())
    const overview = await readOverview(deps, admin.project, { since, until, bucketMs })
    const times = { since: isoTime(since), until: isoTime(until), bucket, bucket_seconds: bucketMs / 1_000 }
    return { range, ...times, ...overview }
  },
} satisfies Partial<AdminHandlers>

/** The requested range and its bucket length. The start is rounded down to a whole bucket. */
function readRange(query: { range?: Range; since?: string; until?: string }, now: number) {
  const range = query.since === undefined ? (query.range ?? 'day') : null
  const until = Math.min(now + 1, query.until === undefined ? Infinity : readTime('until', query.until, now))
  const start = range === null ? readTime('since', query.since ?? '', now) : until - ranges[range]
  if (until - start > daysAtMost * dayMs)
    throw invalidParameter('since', `must be at most ${daysAtMost} days before the end`)
  const { bucket, bucketMs } = buckets.find(({ upToMs }) => until - start <= upToMs) ?? buckets[2]
  return { range, since: start - (start % bucketMs), until, bucket, bucketMs }
}
