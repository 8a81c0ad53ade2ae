import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import { countUsage, usageGroups, type UsageCount, type UsageGroup } from '../../../credits/reports/usage-counts.ts'
import { Durations } from '../../../foundation/durations.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { readTime, spanQuery } from '../read-time.ts'
import { Count, given, iso, KindName, orNull, Time } from '../schemas.ts'
import { invalidParameter } from '../../validate.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const defaultDays: Record<Per, number> = { hour: 1, day: 30, month: 366 }
type Per = 'hour' | 'day' | 'month'

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
      'Periods without calls are left out. Durations are exact to ten percent. Every call is counted, also those over a rate limit, of which the call log keeps only some. Credits add up to the ledger, also after retention has removed calls: then by whole days.',
    role: 'viewer',
    filtered: true,
    query: UsageQuery,
    response: Type.Object({ as_of: Time, rows: Type.Array(Row) }),
    produces: { 'text/csv': Type.String() },
    async handle({ admin, query, reply }) {
      await deps.callsWritten()
      const now = deps.clock.now()
      const { per = 'day', mode = 'live' } = query
      const asOf = query.as_of === undefined ? now : readTime('as_of', query.as_of, now)
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
      const rows = await countUsage(deps.store, ask, (counts) => addUp(counts, per, by.includes('day')))
      if (query.format !== 'csv') return { as_of: iso(asOf), rows }
      return reply.type('text/csv; charset=utf-8').send(csvText(presentColumns(rows), rows))
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
  if (per === 'month') return Date.parse(`${iso(at).slice(0, 7)}-01T00:00:00Z`)
  return at - (at % (per === 'hour' ? hourMs : dayMs))
}

/** One row per period and group, in the order of time and names. */
async function addUp(counts: AsyncIterable<UsageCount>, per: Per, byDay: boolean): Promise<Row[]> {
  const rows = new Map<string, { group: Partial<Row>; calls: number; credits: number; durations: Durations }>()
  for await (const { at, durationStep, calls, credits, ...by } of counts) {
    const { keyId, ...others } = by
    const group: Partial<Row> = { period: iso(startOf(per, at)), ...given({ ...others, key_id: keyId }) }
    if (byDay) group.day = iso(at).slice(0, 10)
    const name = JSON.stringify(columns.map((column) => group[column as keyof Row]))
    const row = rows.get(name) ?? { group, calls: 0, credits: 0, durations: new Durations() }
    rows.set(name, row)
    row.calls += calls
    row.credits += credits
    row.durations.add(durationStep, calls)
  }
  const sorted = [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return sorted.map(([, { group, calls, credits, durations }]) => ({
    period: '',
    ...group,
    calls,
    credits,
    p50_ms: durations.percentile(0.5),
    p95_ms: durations.percentile(0.95),
  }))
}

/** Columns that were not asked for are no columns; an answer without rows has all of them. */
function presentColumns(rows: readonly Row[]): string[] {
  const [first] = rows
  return first ? columns.filter((column) => column in first) : columns
}

/** Rows as RFC 4180 text with a header line. Text that a spreadsheet would run as a formula gets a leading apostrophe. */
function csvText(columns: readonly string[], rows: readonly object[]): string {
  const lines = rows.map((row) => columns.map((column) => cell((row as Record<string, unknown>)[column])).join(','))
  return `${[columns.join(','), ...lines].join('\r\n')}\r\n`
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const plain = typeof value === 'string' ? value : JSON.stringify(value)
  const text = /^[=+\-@\t\r]/.test(plain) && typeof value === 'string' ? `'${plain}` : plain
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
