import { type AdminQuery, usageGroups, usageRowsAtMost } from '@vitae/contract/admin'
import { Readable } from 'node:stream'
import type { UsageAsk, UsageGroup } from '../../../credits/reports/usage-ask.ts'
import type { AppDeps } from '../../exchange/deps.ts'
import { readTime } from '../route/read-time.ts'
import { invalidParameter } from '../../../foundation/failure.ts'
import { dayMs, isoTime } from '../../../foundation/clock.ts'
import {
  csvPages,
  cursorOf,
  readCursor,
  usagePage,
  bucketFor,
  bucketOf,
  columnsOf,
  csvLines,
  lengthOf,
  type Per,
  rankedRows,
  startOf,
} from '../../../credits/reports/usage-pages.ts'
import { readZone, zoneDays } from '../../../credits/reports/zone-days.ts'
import { savedByStore } from '../../../lifecycle/scorecard/saved.ts'
import type { AdminHandlers } from '../route/admin-route.ts'

const defaultDays = { auto: 30, hour: 1, day: 30, month: 366, all: 30 } as const

/** Longest range in days. Hours are counted call by call, the others from sums. */
const daysAtMost = { auto: 1_100, hour: 31, day: 1_100, month: 3_700, all: 3_700 } as const

type UsageQuery = AdminQuery<'readUsage'>

export const usageHandlers = {
  async readUsage({ admin, query, reply }, deps) {
    await deps.callsWritten()
    const { asOf, per, ask } = readAsk(query, admin.project, deps.clock.now())
    const bucket = query.per === 'auto' ? { bucket_seconds: (lengthOf(per) ?? 0) / 1_000 } : {}
    const answer = { as_of: isoTime(asOf), since: isoTime(ask.since), until: isoTime(ask.until), ...bucket }
    const csv = () => reply.type('text/csv; charset=utf-8')
    if (query.top === undefined) {
      const page = (after: string | null) => usagePage(deps, { ask, per, limit: query.limit ?? usageRowsAtMost }, after)
      const after = readCursor(query.cursor)?.after ?? null
      if (query.format === 'csv') return csv().send(Readable.from(csvPages(page, after, ask.by)))
      const { rows, next } = await page(after)
      return { ...answer, rows, next_cursor: next === null ? null : cursorOf(asOf, next) }
    }
    const { rows, groups, total, next } = await topPage(deps, query, { ask, per, top: query.top })
    if (query.format === 'csv') {
      const shown = columnsOf(ask.by, { compare: query.compare === true })
      return csv().send(`${shown.join(',')}\r\n${csvLines(shown, rows)}`)
    }
    return { ...answer, rows, groups, total, next_cursor: next === null ? null : topCursor(asOf, next) }
  },

  async readSavings({ query }, deps) {
    await deps.callsWritten()
    const now = deps.clock.now()
    const until = query.until === undefined ? now + 1 : readTime('until', query.until, now)
    const since = query.since === undefined ? now - 30 * dayMs : readTime('since', query.since, now)
    return { ...(await savedByStore(deps, { since, until })), currency: deps.providers.currency }
  },
} satisfies Partial<AdminHandlers>

interface ReadAsk {
  asOf: number
  per: Per
  ask: UsageAsk
}

function readAsk(query: UsageQuery, ownProject: string | null, now: number): ReadAsk {
  const { per: asked = 'day', mode = 'live' } = query
  const fixed = query.top === undefined ? readCursor(query.cursor)?.asOf : readTopCursor(query.cursor)?.asOf
  const asOf = fixed ?? (query.as_of === undefined ? now : readTime('as_of', query.as_of, now))
  if (asOf > now) throw invalidParameter('as_of', 'must not be in the future')
  const end = query.until === undefined ? asOf + 1 : readTime('until', query.until, now)
  const until = Math.min(asOf + 1, end)
  const usual = startOf(asked === 'all' || asked === 'auto' ? 'day' : asked, now - defaultDays[asked] * dayMs)
  const since = query.since === undefined ? usual : readTime('since', query.since, now)
  if (until - since > daysAtMost[asked] * dayMs)
    throw invalidParameter('since', `must be at most ${daysAtMost[asked]} days before the end`)
  const per = asked === 'auto' ? bucketFor(end - since).bucket : asked
  const by = readGroups(query.group ?? '')
  const zone = readZone(query.zone)
  const isOfKeys = by.includes('key') || by.includes('tag') || (query.key_id ?? query.tag) !== undefined
  const ask: UsageAsk = {
    since,
    until,
    bucket: per === 'day' && zone !== null ? zoneDays(zone, since, until) : bucketOf(per, by),
    by,
    project: ownProject ?? query.project ?? null,
    environment: query.environment ?? null,
    keyId: query.key_id ?? null,
    tag: query.tag === '(none)' ? '' : (query.tag ?? null),
    mode: mode === 'all' ? null : mode,
    durations: query.top === undefined && ((lengthOf(per) ?? dayMs) < dayMs || !isOfKeys),
  }
  return { asOf, per, ask }
}

/** A page of the largest groups. With periods, the number of groups is limited by the rows of one response. */
async function topPage(deps: AppDeps, query: UsageQuery, { ask, per, top }: Omit<ReadAsk, 'asOf'> & { top: number }) {
  if (ask.by.includes('day')) throw invalidParameter('group', 'must not contain day together with top; use per=day')
  const skip = readTopCursor(query.cursor)?.skip ?? 0
  const periodMs = lengthOf(per) ?? 28 * dayMs
  const count = per === 'all' ? 1 : Math.ceil((ask.until - ask.since) / periodMs) + 1
  const fitting = Math.floor(usageRowsAtMost / count) - 1
  if (top > fitting)
    throw invalidParameter(
      'top',
      `must be at most ${Math.max(fitting, 0)} for this number of periods; ask for a shorter time`,
    )
  const { compare = false } = query
  const ranked = await deps.store.usage.rankUsage({ ask, top, skip, compare })
  return { ...rankedRows(ranked, per, compare), next: ranked.groups > skip + top ? skip + top : null }
}

function topCursor(asOf: number, skip: number): string {
  return Buffer.from(JSON.stringify([asOf, skip])).toString('base64url')
}

function readTopCursor(cursor: string | undefined): { asOf: number; skip: number } | null {
  if (cursor === undefined) return null
  try {
    const [asOf, skip] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
    if (Number.isSafeInteger(asOf) && Number.isSafeInteger(skip) && Number(skip) >= 0)
      return { asOf: Number(asOf), skip: Number(skip) }
  } catch {
    // Reported below.
  }
  throw invalidParameter('cursor', 'must be the next_cursor of a page')
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
