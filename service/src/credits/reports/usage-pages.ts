import { UsageRow, type usagePeriods } from '@vitae/contract/admin'
import { dayMs, isoTime, utcDay, utcMonth } from '../../foundation/clock.ts'
import { invalidParameter } from '../../foundation/failure.ts'
import { given } from '../../foundation/schema/given.ts'
import type { UsageAsk, UsageCount, UsageGroup, UsageNames } from './usage-ask.ts'
import type { UsageCounts, UsagePlace } from './usage.ts'
import { Durations } from '../../foundation/durations.ts'
import type { RankedUsage } from './usage-top.ts'
import { csvLine, safeCell } from '../../foundation/csv/csv-cells.ts'

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
function percentilesOf(distribution: string | null): { p50_ms: number | null; p95_ms: number | null } {
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

interface Deps {
  store: { usage: UsageCounts }
}

interface PageAsk {
  ask: UsageAsk
  per: Per
  limit: number
}

interface Page {
  rows: UsageRow[]
  /** The name of the last row; null on the last page. */
  next: string | null
}

/** A page of rows after the given name, one row per period and group, ordered by time and name. */
export async function usagePage({ store }: Deps, { ask, per, limit }: PageAsk, after: string | null): Promise<Page> {
  const since = after === null ? ask.since : Math.max(ask.since, periodIn(after))
  const page = { limit: limit + 1, ...(after === null ? {} : { after: placeIn(after, ask) }) }
  const [counts = []] = await store.usage.countUsage({ ask: { ...ask, since }, page })
  const rows = counts.slice(0, limit).map((count) => rowOf(count, per, ask))
  const last = rows.at(-1)
  return { rows, next: counts.length > limit && last ? nameOf(last) : null }
}

function rowOf(count: UsageCount, per: Per, { since, by }: UsageAsk): UsageRow {
  const { at, calls, credits, durations } = count
  // A day may be that of a zone.
  const period = isoTime(per === 'all' ? since : per === 'day' ? at : startOf(per, at))
  const day = by.includes('day') ? { day: utcDay(at) } : {}
  return { period, ...groupOf(count), ...day, calls, credits, ...percentilesOf(durations) }
}

/** The name of a row: its period and group, in the order of the columns. */
function nameOf({ calls: _calls, credits: _credits, p50_ms: _p50, p95_ms: _p95, ...group }: UsageRow): string {
  return JSON.stringify(columns.map((column) => group[column as keyof typeof group]))
}

/** All pages as one CSV; only one page is in memory at a time. */
export async function* csvPages(
  page: (after: string | null) => Promise<Page>,
  from: string | null,
  by: readonly UsageGroup[],
): AsyncGenerator<string> {
  let { rows, next } = await page(from)
  const shown = columnsOf(by)
  yield `${shown.join(',')}\r\n`
  for (;;) {
    yield csvLines(shown, rows)
    if (next === null) return
    ;({ rows, next } = await page(next))
  }
}

/** The end of a page: the time of the snapshot and the name of the last row. */
export function cursorOf(asOf: number, name: string): string {
  return Buffer.from(JSON.stringify([asOf, name])).toString('base64url')
}

/** Parses the cursor of a page, or fails with 400. */
export function readCursor(cursor: string | undefined): { asOf: number; after: string } | null {
  if (cursor === undefined) return null
  try {
    const [asOf, after] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
    if (typeof asOf === 'number' && typeof after === 'string' && Number.isFinite(periodIn(after)))
      return { asOf, after }
  } catch {
    // Reported below.
  }
  throw invalidParameter('cursor', 'must be the next_cursor of a page')
}

/** The name of a row begins with its period. */
function periodIn(name: string): number {
  const [period] = JSON.parse(name) as unknown[]
  return Date.parse(String(period))
}

/** The place in a report after the row of this name. */
function placeIn(name: string, { bucket, by }: UsageAsk): UsagePlace {
  const values = JSON.parse(name) as unknown[]
  const row = Object.fromEntries(columns.map((column, index) => [column, values[index]])) as UsageRow
  const { period, day, key_id: keyId, ...names } = row
  const start = Date.parse(bucket === dayMs && by.includes('day') ? String(day) : period)
  return {
    at: bucket === 'month' ? period.slice(0, 7) : bucket === null ? 0 : start,
    names: { ...names, ...given({ keyId }) },
  }
}
