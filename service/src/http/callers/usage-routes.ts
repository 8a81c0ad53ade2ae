import {
  ReceiptPath,
  type Receipt,
  UsageQuery,
  usageColumns,
  type Usage,
  type UsageRow,
  type DataSource,
  units,
} from '@vitae/contract'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../../accounts/key-cache.ts'
import { reachedBy } from '../../accounts/key-rights.ts'
import { countUsage, type UsageCount } from '../../credits/reports/usage-counts.ts'
import { SingleFlight } from '../../lookup/fetch/single-flight.ts'
import type { AppDeps } from '../deps.ts'
import { invalidParameter } from '../validate.ts'
import { callerRoute } from './caller-route.ts'
import type { PriceLists } from '../../credits/prices/price-book.ts'
import { listsOf } from '../../credits/prices/price-books.ts'
import { readNote, receiptLines, whyLess } from '../../credits/prices/price-note.ts'
import { dayMs, isoTime, parseMoment, utcDay } from '../../foundation/clock.ts'
import type { Receipt as StoredReceipt } from '../../credits/reports/receipt.ts'
import { fillsIn } from '../../records/filling/fold-rows.ts'
import type { Explanation } from '../../records/call-details.ts'
import { callReason, withoutSuppression } from '../../records/call-reason.ts'

const daysAtMost = 366
const usualDays = 30
const rowsAtMost = 10_000
type Column = (typeof usageColumns)[number]

interface Span {
  from: number
  to: number
  asOf: number
  /** The first moment that is not counted: what is answered at this one still is. */
  until: number
}

/** What an environment called and paid, and what one call cost. Free; test keys get fictional figures. */
export function usageRoutes(app: FastifyInstance, deps: AppDeps): void {
  const counting = new OneAtATime<Usage>()
  callerRoute(app, deps, {
    method: 'GET',
    path: '/v1/usage',
    query: UsageQuery,
    async handle({ caller, query }): Promise<Usage> {
      const by = readColumns(query.by ?? 'day')
      const span = readSpan(query, deps.clock.now())
      if (caller.mode === 'test') return usageOf(span, by, sampleCounts(span))
      const name = JSON.stringify([caller.environmentId, by, query.from, query.to])
      return counting.join(name, () => countFor(deps, caller, span, by))
    },
  })
  callerRoute(app, deps, {
    method: 'GET',
    path: '/v1/receipts/:request_id',
    params: ReceiptPath,
    handle: ({ caller, params: { request_id: requestId } }) => receiptFor(deps, caller, requestId),
  })
}

/** A count reads much of the call log: the same question is answered once for all who wait, and different ones take turns. */
class OneAtATime<Result> {
  readonly #flights = new SingleFlight<Result>()
  #last: Promise<unknown> = Promise.resolve()

  join(name: string, work: () => Promise<Result>): Promise<Result> {
    return this.#flights.join(
      name,
      () => {
        const mine = this.#last.then(work)
        this.#last = mine.catch(() => undefined)
        return mine
      },
      null,
    ).result
  }
}

async function countFor(deps: AppDeps, caller: Caller, span: Span, by: readonly Column[]): Promise<Usage> {
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

/** Adds counts up to rows in the order of their names. */
async function usageOf(
  { from, to, asOf }: Span,
  by: readonly Column[],
  counts: AsyncIterable<UsageCount> | Iterable<UsageCount>,
): Promise<Usage> {
  const rows = new Map<string, UsageRow>()
  const total = { calls: 0, credits: 0 }
  for await (const { at, tag = null, kind = null, calls, credits } of counts) {
    const all = { day: utcDay(at), tag, endpoint: kind }
    const group = Object.fromEntries(by.map((column) => [column, all[column]]))
    const name = JSON.stringify(Object.values(group))
    const row = rows.get(name) ?? { ...group, calls: 0, credits: 0 }
    if (!rows.has(name) && rows.size === rowsAtMost)
      throw invalidParameter('by', `gives more than ${rowsAtMost} rows; ask for a shorter time`)
    rows.set(name, { ...row, calls: row.calls + calls, credits: row.credits + credits })
    total.calls += calls
    total.credits += credits
  }
  const sorted = [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  return { from: isoTime(from), to: isoTime(to), as_of: isoTime(asOf), rows: sorted, total }
}

function readColumns(text: string): Column[] {
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.some((name) => !usageColumns.some((column) => column === name))
  if (unknown) throw invalidParameter('by', `must be a list of ${usageColumns.join(', ')}`)
  return usageColumns.filter((column) => names.includes(column))
}

function readSpan({ from, to }: { from?: string; to?: string }, now: number): Span {
  const end = to === undefined ? now : readMoment('to', to)
  const usual = end - usualDays * dayMs
  const start = from === undefined ? usual - (usual % dayMs) : readMoment('from', from)
  if (start > end) throw invalidParameter('from', 'must not lie behind to')
  if (end - start > daysAtMost * dayMs) throw invalidParameter('from', `must lie at most ${daysAtMost} days before to`)
  return { from: start, to: end, asOf: now, until: to === undefined ? now + 1 : Math.min(end, now + 1) }
}

function readMoment(parameter: string, text: string): number {
  const at = parseMoment(text)
  if (!Number.isNaN(at)) return at
  throw invalidParameter(parameter, 'must be a date or an ISO 8601 time such as 2026-11-14T09:30:00Z')
}

/** A receipt of the caller's environment; what others called is as if it had never been. */
async function receiptFor(deps: AppDeps, caller: Caller, requestId: string): Promise<Receipt> {
  if (caller.mode === 'test' && requestId === sampleReceiptId) return sampleReceipt
  await deps.callsWritten()
  const found = await deps.store.receipt({ requestId })
  const isOwn = found?.project === caller.project && found.environment === caller.environment
  const call = isOwn ? found.call : null
  const reached = reachedBy(caller, call && { ...call, parts: {} }, 'Your environment has no call with this id.')
  const { explanation } = await deps.store.callDetails({ requestId, entityId: null })
  const lists = await listsOf(deps, readNote(reached.price)?.book ?? 0)
  const receipt = receiptView(requestId, reached, found?.entries ?? [], explanation, lists)
  return { ...receipt, filled: filledUnits(reached, caller) }
}

function* sampleCounts({ from, to }: Span): Generator<UsageCount> {
  const at = Math.max(from, to - dayMs)
  yield { at, tag: 'sample-campaign', kind: 'people', durationStep: null, calls: 3, credits: 2 }
  yield { at, tag: null, kind: 'companies', durationStep: null, calls: 1, credits: 1 }
}

const sampleReceiptId = 'sample-receipt'

/** What a test key may practise with. */
const sampleReceipt: Receipt = {
  request_id: sampleReceiptId,
  at: '2026-11-14T09:30:00.000Z',
  endpoint: 'people',
  status: 200,
  source: 'live',
  held: 1,
  charged: 1,
  price: { book: 0, lines: [{ line: 'line 7: people', credits: 1 }], less_than_held: [] },
  providers: [{ name: 'sample', outcome: 'found' }],
  filled: [],
  reason: 'Fetched from sample, because nothing is stored under this identifier.',
  spend_tag: 'sample-campaign',
}

/** The units of an answer that other fetches filled, those that a key may see. */
function filledUnits({ kind, fills }: NonNullable<StoredReceipt['call']>, { parts }: Caller): Receipt['filled'] {
  const seen = fillsIn(fills ?? '[]').filter(({ unit }) => {
    const part = units[kind].find(({ name }) => name === unit)?.part
    return !part || !parts || parts.has(part)
  })
  return seen.map(({ unit, provider, fetchedAt }) => ({ unit, provider, fetched_at: isoTime(fetchedAt) }))
}

/** A call of one's own as callers see it. */
function receiptView(
  requestId: string,
  call: NonNullable<StoredReceipt['call']>,
  entries: StoredReceipt['entries'],
  whole: Explanation | null,
  lists: PriceLists | null,
): Omit<Receipt, 'filled'> {
  const { at, kind, status, source, credits, tag, replayOf } = call
  const explanation = withoutSuppression(whole)
  const note = readNote(call.price)
  const held = Math.abs(entries.find((entry) => entry.kind === 'hold')?.amount ?? 0)
  return {
    request_id: requestId,
    at: isoTime(at),
    endpoint: kind,
    status,
    // Written from an answer's own source.
    source: source as DataSource | null,
    held,
    charged: credits,
    price: {
      book: note?.book ?? 0,
      lines: note && replayOf === null ? receiptLines(note, lists) : [],
      less_than_held: whyLess(
        { held, charged: credits, isAnswered: status === 200, isReplay: replayOf !== null },
        note,
        lists,
      ),
    },
    providers: (explanation?.attempts ?? []).map(({ provider, outcome }) => ({ name: provider, outcome })),
    reason: callReason(call, explanation, 'caller'),
    spend_tag: tag,
  }
}
