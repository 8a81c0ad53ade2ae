import { UsageRow, type usagePeriods } from '@vitae/contract/admin'
import type { UsageCount, UsageGroup, UsageNames } from './usage-counts.ts'
import type { Durations } from '../../foundation/durations.ts'
import { csvLine, safeCell } from '../../foundation/csv/csv-cells.ts'
import { given } from '../../foundation/schema/given.ts'
import { dayMs, utcMonth } from '../../foundation/clock.ts'
export type Per = (typeof usagePeriods)[number]
export const hourMs = 3_600_000
export const columns = Object.keys(UsageRow.properties)

/** The start of the period that contains a given time. */
export function startOf(per: Per, at: number): number {
  if (per === 'all') return at
  if (per === 'month') return Date.parse(`${utcMonth(at)}-01T00:00:00Z`)
  return at - (at % (per === 'hour' ? hourMs : dayMs))
}

/** The group of a row, in the form of the response. */
export function groupOf({ project, environment, keyId, tag, kind, source, status }: UsageNames): Partial<UsageRow> {
  return given({ project, environment, key_id: keyId, tag, kind, source, status })
}

/** Adds the durations of the counted calls. */
export function addDurations(to: Durations, { durationStep, durations, calls }: UsageCount): void {
  if (durations) to.addText(durations)
  else to.add(durationStep, calls)
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
