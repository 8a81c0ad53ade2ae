import { type accountOperations, usageColumns, eventTypes, type eventOperations, type EventType } from '@vitae/contract'
import { describeAccount } from '../../lookup/account.ts'
import { dayMs, parseMoment, utcMonth } from '../../foundation/clock.ts'
import { receiptFor } from '../../own-calls/receipt.ts'
import { Statements } from '../../own-calls/statement.ts'
import { codingIn } from '../../foundation/compress.ts'
import { readUsage, type Span, type UsageColumn } from '../../own-calls/usage.ts'
import type { AppDeps } from '../exchange/deps.ts'
import { invalidParameter, Failure } from '../../foundation/failure.ts'
import type { Handlers } from './caller-route.ts'
import { eventFeed, recordChanges } from '../../own-calls/event-feed.ts'

/** Refuses free work of one environment beyond a number at the same time, so that it takes no turn of others. */
class AtOnce {
  readonly #most: number
  readonly #running = new Map<number, number>()

  constructor(most: number) {
    this.#most = most
  }

  async run<Result>(lane: number, work: () => Promise<Result>): Promise<Result> {
    const before = this.#running.get(lane) ?? 0
    if (before >= this.#most) throw new Failure('overloaded', { retryAfterSeconds: 1 })
    this.#running.set(lane, before + 1)
    try {
      return await work()
    } finally {
      const after = (this.#running.get(lane) ?? 1) - 1
      if (after > 0) this.#running.set(lane, after)
      else this.#running.delete(lane)
    }
  }
}

const daysAtMost = 366
const usualDays = 30
const countsAtOnce = 8

/** The key's permissions and credits, the environment's usage, and the cost of one call. */
export function accountHandlers(deps: AppDeps): Handlers<typeof accountOperations> {
  const counts = new AtOnce(countsAtOnce)
  const statements = new Statements({ ...deps, currency: deps.providers.currency })
  return {
    // Only an unknown key has no rate limit, and it is refused earlier.
    getAccount: async ({ caller, rate }) =>
      describeAccount(deps.lookup, caller, rate ?? (await deps.limiter.peek(caller.keyId, caller.rate))),
    // A count is a report, and reports wait in one line with those of operators and other environments.
    async getUsage({ caller, query }) {
      const [span, columns] = [readSpan(query, deps.clock.now()), readColumns(query.by ?? 'day')]
      return counts.run(caller.environmentId, () => readUsage(deps, caller, span, columns))
    },
    getStatement: ({ caller, query: { month = utcMonth(deps.clock.now()) } }) => statements.read(caller, month),
    getReceipt: ({ caller, params }) => receiptFor(deps, caller, params.request_id),
  }
}

function readColumns(text: string): UsageColumn[] {
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.some((name) => !usageColumns.some((column) => column === name))
  if (unknown) throw invalidParameter('by', `must be a list of ${usageColumns.join(', ')}`)
  return usageColumns.filter((column) => names.includes(column))
}

function readSpan({ from, to }: { from?: string; to?: string }, now: number): Span {
  const end = to === undefined ? now : readMoment('to', to)
  const usual = end - usualDays * dayMs
  const start = from === undefined ? usual - (usual % dayMs) : readMoment('from', from)
  if (start > end) throw invalidParameter('from', 'must not be after to')
  if (end - start > daysAtMost * dayMs) throw invalidParameter('from', `must be at most ${daysAtMost} days before to`)
  return { from: start, to: end, asOf: now, until: to === undefined ? now + 1 : Math.min(end, now + 1) }
}

function readMoment(parameter: string, text: string): number {
  const at = parseMoment(text)
  if (!Number.isNaN(at)) return at
  throw invalidParameter(parameter, 'must be a date or an ISO 8601 time such as 2026-11-14T09:30:00Z')
}

const eventsAtOnce = 100

/** The feed of the environment's events that the key may see. */
export function eventHandlers(deps: AppDeps): Handlers<typeof eventOperations> {
  return {
    async listEvents({ caller, query: { after = '0', limit = eventsAtOnce, type }, request, reply }) {
      const types = type === undefined ? null : readTypes(type)
      const asked = {
        after: Number(after),
        limit,
        types,
        coding: codingIn(request.headers['accept-encoding']),
      }
      const { bytes, coding } = await eventFeed(deps, caller, asked)
      reply.type('application/json; charset=utf-8')
      if (coding !== null) reply.header('Content-Encoding', coding)
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    },
    async listRecordChanges({ caller, query: { after = '0', limit = eventsAtOnce, kind = null }, reply }) {
      const page = await recordChanges(deps, caller, { after: Number(after), limit, kind })
      reply.type('application/json; charset=utf-8')
      return page
    },
  }
}

function readTypes(text: string): EventType[] {
  const names = text.split(',').map((name) => name.trim())
  const known = eventTypes.filter((type) => names.includes(type))
  const unknown = names.find((name) => !known.some((type) => type === name))
  if (unknown !== undefined)
    throw invalidParameter(
      'type',
      `has an unknown event type: ${unknown.slice(0, 50)}; the types are ${eventTypes.join(', ')}`,
    )
  return known
}
