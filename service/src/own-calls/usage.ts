import type { Usage, UsageRow, usageColumns } from '@vitae/contract'
import type { Caller } from '../accounts/key-cache.ts'
import { countUsage, type UsageCount, type UsageStore } from '../credits/reports/usage-counts.ts'
import { dayMs, isoTime, utcDay } from '../foundation/clock.ts'
import { Complaints } from '../foundation/failure.ts'
import { SingleFlight } from '../lookup/fetch/single-flight.ts'

const rowsAtMost = 10_000
export type UsageColumn = (typeof usageColumns)[number]

interface Deps {
  store: UsageStore
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

/**
 * Counts calls and credits of environments. A count reads much of the call log, so identical requests share one and
 * different ones run in turn. Test keys get fictional figures.
 */
export class UsageCounter {
  readonly #deps: Deps
  readonly #flights = new SingleFlight<Usage>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Counts a range. Requests with the same `name`, columns and environment share one count. */
  count(caller: Caller, span: Span, by: readonly UsageColumn[], name: string): Promise<Usage> {
    if (caller.mode === 'test') return usageOf(span, by, sampleCounts(span))
    const work = () => countFor(this.#deps, caller, span, by)
    const { result } = this.#flights.join(
      JSON.stringify([caller.environmentId, by, name]),
      () => {
        const mine = this.#last.then(work)
        this.#last = mine.catch(() => undefined)
        return mine
      },
      null,
    )
    return result
  }
}

async function countFor(deps: Deps, caller: Caller, span: Span, by: readonly UsageColumn[]): Promise<Usage> {
  await deps.callsWritten()
  const { project, environment } = caller
  const ask = {
    since: span.from,
    until: span.until,
    bucketMs: dayMs,
    by: [...by],
    project,
    environment,
    mode: 'live' as const,
  }
  return countUsage(deps.store, ask, (counts) => usageOf(span, by, counts))
}

/** Sums counts into rows, sorted by name. */
async function usageOf(
  { from, to, asOf }: Span,
  by: readonly UsageColumn[],
  counts: AsyncIterable<UsageCount> | Iterable<UsageCount>,
): Promise<Usage> {
  const rows = new Map<string, UsageRow>()
  const total = { calls: 0, credits: 0 }
  for await (const { at, tag = null, kind = null, calls, credits } of counts) {
    const all = { day: utcDay(at), tag, endpoint: kind }
    const group = Object.fromEntries(by.map((column) => [column, all[column]]))
    const name = JSON.stringify(Object.values(group))
    const row = rows.get(name) ?? { ...group, calls: 0, credits: 0 }
    if (!rows.has(name) && rows.size === rowsAtMost) throw tooManyRows()
    rows.set(name, { ...row, calls: row.calls + calls, credits: row.credits + credits })
    total.calls += calls
    total.credits += credits
  }
  const sorted = [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  return { from: isoTime(from), to: isoTime(to), as_of: isoTime(asOf), rows: sorted, total }
}

function tooManyRows(): Error {
  const complaints = new Complaints()
  complaints.add('by', `results in more than ${rowsAtMost} rows; ask for a shorter time`)
  return complaints.failure()
}

function* sampleCounts({ from, to }: Span): Generator<UsageCount> {
  const at = Math.max(from, to - dayMs)
  yield { at, tag: 'sample-campaign', kind: 'people', durationStep: null, calls: 3, credits: 2 }
  yield { at, tag: null, kind: 'companies', durationStep: null, calls: 1, credits: 1 }
}
