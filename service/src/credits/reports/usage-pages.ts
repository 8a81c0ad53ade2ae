import type { UsageRow } from '@vitae/contract/admin'
import { dayMs, isoTime, utcDay } from '../../foundation/clock.ts'
import { invalidParameter } from '../../foundation/failure.ts'
import { given } from '../../foundation/schema/given.ts'
import type { UsageAsk, UsageCount, UsageGroup } from './usage-ask.ts'
import { columns, columnsOf, csvLines, groupOf, percentilesOf, type Per, startOf } from './usage-rows.ts'
import type { UsagePlace, UsageStore } from './usage.ts'

interface Deps {
  store: UsageStore
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
  const [counts = []] = await store.countUsage({ ask: { ...ask, since }, page })
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
