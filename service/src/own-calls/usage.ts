import type { Usage, UsageRow, usageColumns } from '@vitae/contract'
import type { Caller } from '../accounts/caller.ts'
import type { UsageCount } from '../credits/reports/usage-ask.ts'
import type { UsageStore } from '../credits/operations.ts'
import { dayMs, isoTime, utcDay } from '../foundation/clock.ts'
import { Complaints } from '../foundation/failure.ts'

const rowsAtMost = 10_000
export type UsageColumn = (typeof usageColumns)[number]

interface Deps {
  store: { usage: Pick<UsageStore, 'countUsage'> }
  /** Resolves once the call log contains every call answered so far. */
  callsWritten(): Promise<void>
}

/** A counted time range. */
export interface Span {
  from: number
  to: number
  asOf: number
  /** The exclusive end of the range: at most one millisecond after now, so that calls answered now are counted. */
  until: number
}

/** Counts calls and credits of the caller's environment. Test keys get fictional figures. */
export async function readUsage(deps: Deps, caller: Caller, span: Span, by: readonly UsageColumn[]): Promise<Usage> {
  const counts = caller.mode === 'test' ? sampleCounts(span) : await countsOf(deps, caller, span, by)
  const groups = Map.groupBy(counts, ({ at, tag = null, kind = null }) => {
    const all = { day: utcDay(at), tag, endpoint: kind }
    return JSON.stringify(Object.fromEntries(by.map((column) => [column, all[column]])))
  })
  if (groups.size > rowsAtMost) throw tooManyRows()
  const rows = [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, own]): UsageRow => ({ ...(JSON.parse(name) as UsageRow), ...totalOf(own) }))
  const { from, to, asOf } = span
  return { from: isoTime(from), to: isoTime(to), as_of: isoTime(asOf), rows, total: totalOf(rows) }
}

async function countsOf(
  deps: Deps,
  { project, environment }: Caller,
  { from, until }: Span,
  by: readonly UsageColumn[],
): Promise<UsageCount[]> {
  await deps.callsWritten()
  const bucket = by.includes('day') ? dayMs : null
  const ask = { since: from, until, bucket, by, project, environment, mode: 'live' as const }
  const [counts = []] = await deps.store.usage.countUsage({ ask, page: { limit: rowsAtMost + 1 } })
  return counts
}

function totalOf(counts: readonly { calls: number; credits: number }[]): { calls: number; credits: number } {
  const sum = (figure: 'calls' | 'credits') => counts.reduce((total, count) => total + count[figure], 0)
  return { calls: sum('calls'), credits: sum('credits') }
}

function tooManyRows(): Error {
  const complaints = new Complaints()
  complaints.add('by', `results in more than ${rowsAtMost} rows; ask for a shorter time`)
  return complaints.failure()
}

function sampleCounts({ from, to }: Span): UsageCount[] {
  const at = Math.max(from, to - dayMs)
  return [
    { at, tag: 'sample-campaign', kind: 'people', durations: null, calls: 3, credits: 2 },
    { at, tag: null, kind: 'companies', durations: null, calls: 1, credits: 1 },
  ]
}
