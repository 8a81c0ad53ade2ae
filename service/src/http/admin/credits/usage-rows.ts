import Type, { type Static } from 'typebox'
import type { UsageCount, UsageGroup, UsageNames } from '../../../credits/reports/usage-counts.ts'
import type { Durations } from '../../../foundation/durations.ts'
import { csvLine, safeCell } from '../../../foundation/csv/csv-cells.ts'
import { Count, given, KindName, orNull, Time } from '../schemas.ts'
import { dayMs, utcMonth } from '../../../foundation/clock.ts'

export const periods = ['hour', 'day', 'month', 'all'] as const
export type Per = (typeof periods)[number]
export const hourMs = 3_600_000

export const UsageRow = Type.Object({
  period: Time,
  day: Type.Optional(Type.String({ description: 'UTC day.' })),
  project: Type.Optional(Type.String()),
  environment: Type.Optional(Type.String()),
  key_id: Type.Optional(Type.String()),
  key_label: Type.Optional(orNull(Type.String({ description: 'With `top`: what the key is called.' }))),
  key_display: Type.Optional(Type.String({ description: 'With `top`: how the key begins and ends.' })),
  tag: Type.Optional(orNull(Type.String({ description: 'X-Spend-Tag; null for calls without one.' }))),
  kind: Type.Optional(orNull(KindName)),
  source: Type.Optional(orNull(Type.String())),
  status: Type.Optional(Type.Integer()),
  rest: Type.Optional(
    Type.Integer({ minimum: 1, description: 'With `top`: this row is all groups that are not shown, so many.' }),
  ),
  calls: Count,
  credits: Count,
  credits_before: Type.Optional(
    Type.Integer({ minimum: 0, description: 'With `compare`: credits in the time of the same length before.' }),
  ),
  p50_ms: orNull(Type.Number()),
  p95_ms: orNull(Type.Number()),
})
export type UsageRow = Static<typeof UsageRow>
export const columns = Object.keys(UsageRow.properties)

/** The beginning of the period in which a moment lies. */
export function startOf(per: Per, at: number): number {
  if (per === 'all') return at
  if (per === 'month') return Date.parse(`${utcMonth(at)}-01T00:00:00Z`)
  return at - (at % (per === 'hour' ? hourMs : dayMs))
}

/** What a row is about, as it is answered. */
export function groupOf({ project, environment, keyId, tag, kind, source, status }: UsageNames): Partial<UsageRow> {
  return given({ project, environment, key_id: keyId, tag, kind, source, status })
}

/** Adds how long the calls of a count took. */
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

/** The columns of a CSV: they follow from the question, so that an empty month has those of a full one. */
export function columnsOf(by: readonly UsageGroup[], top?: { compare: boolean }): string[] {
  const shown = new Set<string>(['period', 'calls', 'credits', 'p50_ms', 'p95_ms'])
  for (const column of by.flatMap((group) => groupColumns[group])) shown.add(column)
  if (top) shown.add('rest')
  if (top && by.includes('key')) shown.add('key_label').add('key_display')
  if (top?.compare) shown.add('credits_before')
  return columns.filter((column) => shown.has(column))
}

/** Rows as RFC 4180 text. Text that a spreadsheet would run as a formula is disarmed. */
export function csvLines(shown: readonly string[], rows: readonly UsageRow[]): string {
  return rows.map((row) => csvLine(shown.map((column) => safeCell((row as Record<string, unknown>)[column])))).join('')
}
