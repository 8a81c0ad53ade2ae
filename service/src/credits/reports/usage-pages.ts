import type { UsageRow } from '@vitae/contract/admin'
import { countUsage, type UsageAsk, type UsageCount, type UsageGroup, type UsageStore } from './usage-counts.ts'
import { Durations } from '../../foundation/durations.ts'
import { invalidParameter } from '../../foundation/failure.ts'
import { addDurations, columns, columnsOf, csvLines, groupOf, type Per, startOf } from './usage-rows.ts'
import { dayMs, isoTime, utcDay } from '../../foundation/clock.ts'

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

/**
 * A page of rows after the given name, one row per period and group, ordered by time and name. It reads one day first
 * and then doubles the range until the page is full.
 */
export async function usagePage(
  deps: { store: UsageStore },
  { ask, per, limit }: PageAsk,
  after: string | null,
): Promise<Page> {
  const rows: [string, Sum][] = []
  let since = after === null ? ask.since : Math.max(ask.since, periodIn(after))
  for (let lengthMs = dayMs; since < ask.until && rows.length <= limit; lengthMs *= 2) {
    const until = Math.min(ask.until, per === 'all' ? Infinity : endOf(per, since + lengthMs))
    const part = {
      startOf: (at: number) => (per === 'all' ? ask.since : startOf(per, at)),
      byDay: ask.by.includes('day'),
      after,
      limit: limit + 1 - rows.length,
    }
    rows.push(...(await countUsage(deps.store, { ...ask, since, until }, (counts) => addUp(counts, part))))
    since = until
  }
  const page = rows.slice(0, limit)
  return { rows: page.map(([, sum]) => rowOf(sum)), next: rows.length > limit ? (page.at(-1)?.[0] ?? null) : null }
}

/** The end of the period that ends at or after this time. */
function endOf(per: Per, at: number): number {
  const start = startOf(per, at)
  if (start === at) return at
  return per === 'month' ? startOf(per, start + 32 * dayMs) : startOf(per, start + dayMs)
}

interface Part {
  startOf: (at: number) => number
  byDay: boolean
  after: string | null
  limit: number
}

type Sum = { group: Partial<UsageRow>; calls: number; credits: number; durations: Durations }

/** Keeps at most `limit` rows after the page start: a row with that many rows before it cannot enter the page. */
async function addUp(
  counts: AsyncIterable<UsageCount>,
  { startOf: periodOf, byDay, after, limit }: Part,
): Promise<[string, Sum][]> {
  let rows = new Map<string, Sum>()
  for await (const count of counts) {
    const { at, calls, credits } = count
    const group: Partial<UsageRow> = { period: isoTime(periodOf(at)), ...groupOf(count) }
    if (byDay) group.day = utcDay(at)
    const name = JSON.stringify(columns.map((column) => group[column as keyof UsageRow]))
    if (after !== null && name <= after) continue
    const row = rows.get(name) ?? { group, calls: 0, credits: 0, durations: new Durations() }
    rows.set(name, row)
    row.calls += calls
    row.credits += credits
    addDurations(row.durations, count)
    if (rows.size > 2 * limit) rows = new Map(sorted(rows).slice(0, limit))
  }
  return sorted(rows).slice(0, limit)
}

function sorted(rows: ReadonlyMap<string, Sum>): [string, Sum][] {
  return [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1))
}

function rowOf({ group, calls, credits, durations }: Sum): UsageRow {
  const [p50_ms, p95_ms] = [durations.percentile(0.5), durations.percentile(0.95)]
  return { period: '', ...group, calls, credits, p50_ms, p95_ms }
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
