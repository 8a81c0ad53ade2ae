import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import { countUsage, usageGroups, type UsageCount, type UsageGroup } from '../../../credits/reports/usage-counts.ts'
import { Durations } from '../../../foundation/durations.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { readTime, spanQuery } from '../read-time.ts'
import { Count, Cursor, given, KindName, orNull, Time } from '../schemas.ts'
import { invalidParameter } from '../../validate.ts'
import { dayMs, isoTime, utcDay, utcMonth } from '../../../foundation/clock.ts'

const hourMs = 3_600_000
const defaultDays: Record<Per, number> = { hour: 1, day: 30, month: 366 }
type Per = 'hour' | 'day' | 'month'
/** Of a page, however many there are. */
const rowsAtMost = 10_000

const Row = Type.Object({
  period: Time,
  day: Type.Optional(Type.String({ description: 'UTC day.' })),
  project: Type.Optional(Type.String()),
  environment: Type.Optional(Type.String()),
  key_id: Type.Optional(Type.String()),
  tag: Type.Optional(orNull(Type.String({ description: 'X-Spend-Tag; null for calls without one.' }))),
  kind: Type.Optional(orNull(KindName)),
  source: Type.Optional(orNull(Type.String())),
  status: Type.Optional(Type.Integer()),
  calls: Count,
  credits: Count,
  p50_ms: orNull(Type.Number()),
  p95_ms: orNull(Type.Number()),
})
type Row = Static<typeof Row>
const columns = Object.keys(Row.properties)

const UsageQuery = Type.Object({
  group: Type.Optional(Type.String({ description: `By what to count, comma-separated: ${usageGroups.join(', ')}.` })),
  per: Type.Optional(Type.Enum(['hour', 'day', 'month'])),
  ...spanQuery,
  as_of: Type.Optional(
    Type.String({ description: 'Count what was answered up to this moment: the same now and later.' }),
  ),
  project: Type.Optional(Type.String()),
  environment: Type.Optional(Type.String()),
  key_id: Type.Optional(Type.String()),
  mode: Type.Optional(Type.Enum(['live', 'test', 'all'], { description: 'Calls of which keys; live by default.' })),
  format: Type.Optional(Type.Enum(['json', 'csv'])),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: rowsAtMost })),
  cursor: Type.Optional(Type.String()),
})

/** Counts calls and credits by period and by the groups that were asked for. */
export function usageRoutes(app: FastifyInstance, deps: AppDeps): void {
  adminRoute(app, {
    method: 'GET',
    path: '/usage',
    operationId: 'readUsage',
    tag: 'usage',
    summary: 'Count calls and credits per period',
    description:
      'Periods without calls are left out. As CSV all rows come, as JSON page by page: ask on with `cursor` until `next_cursor` is null. Durations are exact to ten percent. Every call is counted, also those over a rate limit, of which the call log keeps only some. Credits add up to the ledger, also after retention has removed calls: then by whole days.',
    role: 'viewer',
    filtered: true,
    query: UsageQuery,
    response: Type.Object({ as_of: Time, rows: Type.Array(Row), next_cursor: Cursor }),
    produces: { 'text/csv': Type.String() },
    async handle({ admin, query, reply }) {
      await deps.callsWritten()
      const now = deps.clock.now()
      const { per = 'day', mode = 'live' } = query
      const from = readCursor(query.cursor)
      const asOf = from?.asOf ?? (query.as_of === undefined ? now : readTime('as_of', query.as_of, now))
      if (asOf > now) throw invalidParameter('as_of', 'must not lie ahead')
      const until = Math.min(asOf + 1, query.until === undefined ? Infinity : readTime('until', query.until, now))
      const since =
        query.since === undefined ? startOf(per, now - defaultDays[per] * dayMs) : readTime('since', query.since, now)
      const by = readGroups(query.group ?? '')
      const ask = {
        since,
        until,
        // Months differ in length, so they are added up from days.
        bucketMs: per === 'hour' ? hourMs : dayMs,
        by,
        project: admin.project ?? query.project ?? null,
        environment: query.environment ?? null,
        keyId: query.key_id ?? null,
        mode: mode === 'all' ? null : mode,
      }
      const { limit = rowsAtMost } = query
      const page = (after: string | null) => {
        const rest = after === null ? ask : { ...ask, since: Math.max(since, periodIn(after)) }
        return countUsage(deps.store, rest, (counts) => addUp(counts, { per, byDay: by.includes('day'), after, limit }))
      }
      if (query.format === 'csv')
        return reply.type('text/csv; charset=utf-8').send(Readable.from(csvPages(page, from?.after ?? null)))
      const { rows, next } = await page(from?.after ?? null)
      return { as_of: isoTime(asOf), rows, next_cursor: next === null ? null : cursorOf(asOf, next) }
    },
  })
}

function readGroups(text: string): UsageGroup[] {
  const names = text.split(',').map((name) => name.trim())
  return names.filter((name) => name !== '').map(readGroup)
}

function readGroup(name: string): UsageGroup {
  const group = usageGroups.find((known) => known === name)
  if (group) return group
  throw invalidParameter('group', `must be a list of ${usageGroups.join(', ')}`)
}

function startOf(per: Per, at: number): number {
  if (per === 'month') return Date.parse(`${utcMonth(at)}-01T00:00:00Z`)
  return at - (at % (per === 'hour' ? hourMs : dayMs))
}

/** Where a page ends: the moment that all pages are as of, and the name of its last row. */
function cursorOf(asOf: number, name: string): string {
  return Buffer.from(JSON.stringify([asOf, name])).toString('base64url')
}

function readCursor(cursor: string | undefined): { asOf: number; after: string } | null {
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

interface Page {
  per: Per
  byDay: boolean
  after: string | null
  limit: number
}

type Sum = { group: Partial<Row>; calls: number; credits: number; durations: Durations }

/**
 * The rows of one page, one per period and group, in the order of time and names. Of what lies behind the page no more is
 * held than the page has: whatever has as many rows before it cannot come back into it.
 */
async function addUp(
  counts: AsyncIterable<UsageCount>,
  { per, byDay, after, limit }: Page,
): Promise<{ rows: Row[]; next: string | null }> {
  let rows = new Map<string, Sum>()
  for await (const { at, durationStep, calls, credits, ...by } of counts) {
    const { keyId, ...others } = by
    const group: Partial<Row> = { period: isoTime(startOf(per, at)), ...given({ ...others, key_id: keyId }) }
    if (byDay) group.day = utcDay(at)
    const name = JSON.stringify(columns.map((column) => group[column as keyof Row]))
    if (after !== null && name <= after) continue
    const row = rows.get(name) ?? { group, calls: 0, credits: 0, durations: new Durations() }
    rows.set(name, row)
    row.calls += calls
    row.credits += credits
    row.durations.add(durationStep, calls)
    if (rows.size > 2 * limit + 1) rows = new Map(sorted(rows).slice(0, limit + 1))
  }
  const page = sorted(rows).slice(0, limit)
  const next = rows.size > limit ? (page.at(-1)?.[0] ?? null) : null
  return { rows: page.map(([, sum]) => rowOf(sum)), next }
}

function sorted(rows: ReadonlyMap<string, Sum>): [string, Sum][] {
  return [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1))
}

function rowOf({ group, calls, credits, durations }: Sum): Row {
  const [p50_ms, p95_ms] = [durations.percentile(0.5), durations.percentile(0.95)]
  return { period: '', ...group, calls, credits, p50_ms, p95_ms }
}

/** All pages as one CSV, of which one is held at a time. */
async function* csvPages(
  page: (after: string | null) => Promise<{ rows: Row[]; next: string | null }>,
  from: string | null,
): AsyncGenerator<string> {
  let { rows, next } = await page(from)
  const columns = presentColumns(rows)
  yield `${columns.join(',')}\r\n`
  for (;;) {
    yield csvLines(columns, rows)
    if (next === null) return
    ;({ rows, next } = await page(next))
  }
}

/** Columns that were not asked for are no columns; an answer without rows has all of them. */
function presentColumns(rows: readonly Row[]): string[] {
  const [first] = rows
  return first ? columns.filter((column) => column in first) : columns
}

/** Rows as RFC 4180 text. Text that a spreadsheet would run as a formula gets a leading apostrophe. */
function csvLines(columns: readonly string[], rows: readonly object[]): string {
  const lines = rows.map((row) => columns.map((column) => cell((row as Record<string, unknown>)[column])).join(','))
  return lines.map((line) => `${line}\r\n`).join('')
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const plain = typeof value === 'string' ? value : JSON.stringify(value)
  const text = /^[=+\-@\t\r]/.test(plain) && typeof value === 'string' ? `'${plain}` : plain
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
