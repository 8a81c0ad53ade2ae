import { UsageRow, type usagePeriods } from '@vitae/contract/admin'
import { Durations } from '../../foundation/durations.ts'
import type { UsageAsk, UsageGroup, UsageNames } from './usage-ask.ts'
import type { RankedUsage } from './usage-top.ts'
import { csvLine, safeCell } from '../../foundation/csv/csv-cells.ts'
import { given } from '../../foundation/schema/given.ts'
import { dayMs, isoTime, utcMonth } from '../../foundation/clock.ts'

const minuteMs = 60_000
export const hourMs = 60 * minuteMs

/** The length of a period. `auto` is resolved by `bucketFor`. */
export type Per = Exclude<(typeof usagePeriods)[number], 'auto'> | (typeof buckets)[number]['bucket']

/** Bucket length by length of the range. Days come from daily sums, shorter buckets from the calls themselves. */
const buckets = [
  { upToMs: 2 * hourMs, bucket: 'minute', bucketMs: minuteMs },
  { upToMs: 2 * dayMs, bucket: '15 minutes', bucketMs: 15 * minuteMs },
  { upToMs: Infinity, bucket: 'day', bucketMs: dayMs },
] as const

/** The buckets of a chart over a range of this length. */
export function bucketFor(rangeMs: number): (typeof buckets)[number] {
  return buckets.find(({ upToMs }) => rangeMs <= upToMs) ?? buckets[2]
}

const periodMs = { minute: minuteMs, '15 minutes': 15 * minuteMs, hour: hourMs, day: dayMs } as const

/** The length of a period, or null: months differ in length, and `all` is as long as the range. */
export function lengthOf(per: Per): number | null {
  return per === 'all' || per === 'month' ? null : periodMs[per]
}

/** The periods in which a report counts: of rows by day, at most a day. */
export function bucketOf(per: Per, by: readonly UsageGroup[]): UsageAsk['bucket'] {
  if (per !== 'all' && per !== 'month') return periodMs[per]
  return by.includes('day') ? dayMs : per === 'month' ? 'month' : null
}

export const columns = Object.keys(UsageRow.properties)

/** The start of the period that contains a given time. */
export function startOf(per: Per, at: number): number {
  if (per === 'all') return at
  if (per === 'month') return Date.parse(`${utcMonth(at)}-01T00:00:00Z`)
  return at - (at % periodMs[per])
}

/** The group of a row, in the form of the response. */
export function groupOf({ project, environment, keyId, tag, kind, source, status }: UsageNames): Partial<UsageRow> {
  return given({ project, environment, key_id: keyId, tag, kind, source, status })
}

/** The usual and the slow durations of a distribution. */
export function percentilesOf(distribution: string | null): { p50_ms: number | null; p95_ms: number | null } {
  const durations = new Durations()
  durations.addText(distribution ?? '')
  return { p50_ms: durations.percentile(0.5), p95_ms: durations.percentile(0.95) }
}

const groupColumns: Record<UsageGroup, readonly (keyof UsageRow)[]> = {
  project: ['project'],
  environment: ['project', 'environment'],
  key: ['key_id'],
  tag: ['tag'],
  endpoint: ['kind'],
  source: ['source'],
  status: ['status'],
  day: ['day'],
}

/** The columns of a CSV. They depend only on the request, so that an empty month has the same columns as a full one. */
export function columnsOf(by: readonly UsageGroup[], top?: { compare: boolean }): string[] {
  const shown = new Set<string>(['period', 'calls', 'credits', 'p50_ms', 'p95_ms'])
  for (const column of by.flatMap((group) => groupColumns[group])) shown.add(column)
  if (top) shown.add('rest')
  if (top && by.includes('key')) shown.add('key_label').add('key_display')
  if (top?.compare) shown.add('credits_before')
  return columns.filter((column) => shown.has(column))
}

/** Rows as RFC 4180 text. Text that a spreadsheet would run as a formula is escaped. */
export function csvLines(shown: readonly string[], rows: readonly UsageRow[]): string {
  return rows.map((row) => csvLine(shown.map((column) => safeCell((row as Record<string, unknown>)[column])))).join('')
}

/** The rows of a ranking, and their total. */
export function rankedRows({ listed, groups, counts, before }: RankedUsage, per: Per, compare: boolean) {
  const rest = Math.max(groups - listed.length, 1)
  const creditsBefore = (place: number) => before.find((count) => count.place === place)?.credits ?? 0
  const rows = counts.map(({ at, place, calls, credits }): UsageRow => {
    const { key_label, key_display, ...names } = listed[place] ?? {}
    return {
      period: isoTime(per === 'all' || per === 'day' ? at : startOf(per, at)),
      ...(place < 0 ? { rest } : { ...groupOf(names), ...given({ key_label, key_display }) }),
      calls,
      credits,
      ...(compare ? { credits_before: creditsBefore(place) } : {}),
      p50_ms: null,
      p95_ms: null,
    }
  })
  const [calls, credits] = [sumOf(counts, 'calls'), sumOf(counts, 'credits')]
  return { rows, groups, total: { calls, credits, ...(compare ? { credits_before: sumOf(before, 'credits') } : {}) } }
}

function sumOf(counts: RankedUsage['counts'], figure: 'calls' | 'credits'): number {
  return counts.reduce((total, count) => total + count[figure], 0)
}
