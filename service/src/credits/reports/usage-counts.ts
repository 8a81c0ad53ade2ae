import type { usageGroups } from '@vitae/contract/admin'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Kind } from '@vitae/contract'
import { dayMs } from '../../foundation/clock.ts'

/** The dimensions by which calls can be grouped. An environment is always grouped together with its project. */
export type UsageGroup = (typeof usageGroups)[number]

/** The group of a row; only the requested names are set. */
export interface UsageNames {
  project?: string
  environment?: string
  keyId?: string
  tag?: string | null
  kind?: Kind | null
  source?: string | null
  status?: number
}

export interface UsageAsk {
  since: number
  until: number
  /** Length of a period; periods begin at multiples of it since the epoch. Null = one period. */
  bucketMs: number | null
  by: readonly UsageGroup[]
  /** Only these groups are counted separately, by their index; all others are counted as -1. */
  places?: readonly UsageNames[]
  project: string | null
  environment: string | null
  /** Only this key. */
  keyId?: string | null
  /** Only this tag; an empty string means calls without a tag. */
  tag?: string | null
  mode: 'live' | 'test' | null
  /** Whether to include durations. Sums by key or tag do not contain them. */
  durations?: boolean
}

/** Calls of one period and group. */
export interface UsageCount extends UsageNames {
  /** The start of the period; of the whole time range if there is only one period. */
  at: number
  place?: number
  /** The approximate duration of these calls; null if not requested. */
  durationStep: number | null
  /** For sums: the distribution of durations, `step:calls step:calls`. */
  durations?: string | null
  calls: number
  credits: number
}

export interface UsageSlice {
  counts: UsageCount[]
  /** The start of the next slice; null after the last one. */
  next: number | null
}

/**
 * The days that have sums, and the number of calls that retention removed. A report stays valid while these do not
 * change.
 */
export interface UsageState {
  removed: number
  days: { day: number; sums: number; made: number }[]
}

export interface UsageStore {
  usageSlice(ask: UsageAsk & { rows: number }): Promise<UsageSlice>
  usageDays(ask: UsageAsk & { rows: number }): Promise<UsageSlice>
  usageSums(ask: UsageAsk): Promise<UsageCount[]>
  usageState(ask: UsageAsk): Promise<UsageState>
}

const rowsAtOnce = 20_000
/** Adding up this many counts takes about 0.5 ms. */
const countsOfTurn = 100

/**
 * Counts calls: from sums for whole days that have them, otherwise from the call log and the remains of removed calls.
 * It starts again if sums or removed calls changed meanwhile.
 */
export async function countUsage<Sum>(
  store: UsageStore,
  ask: UsageAsk,
  addUp: (counts: AsyncIterable<UsageCount>) => Promise<Sum>,
): Promise<Sum> {
  for (;;) {
    const before = await store.usageState(ask)
    const sum = await addUp(inTurns(allCounts(store, ask, before.days)))
    if (isStill(before, await store.usageState(ask))) return sum
  }
}

/** Yields to the event loop between counts, so that calls are answered. */
async function* inTurns(counts: AsyncIterable<UsageCount>): AsyncGenerator<UsageCount> {
  let sent = 0
  for await (const count of counts) {
    yield count
    if (++sent % countsOfTurn === 0) await nextTurn()
  }
}

function isStill(before: UsageState, after: UsageState): boolean {
  const made = new Map(after.days.map((each) => [each.day, each.made]))
  return before.removed === after.removed && before.days.every((each) => made.get(each.day) === each.made)
}

async function* allCounts(store: UsageStore, ask: UsageAsk, days: UsageState['days']): AsyncGenerator<UsageCount> {
  for (const { isSummed, since, until } of spansOf(ask, days)) {
    const part = { ...ask, since, until }
    if (isSummed) yield* (await store.usageSums(part)).map((count) => named(count, ask))
    else {
      yield* inSlices((slice) => store.usageDays(slice), part, ask)
      yield* inSlices((slice) => store.usageSlice(slice), part, ask)
    }
  }
}

/** Reads in slices, so that payments do not wait. */
async function* inSlices(
  read: (ask: UsageAsk & { rows: number }) => Promise<UsageSlice>,
  part: UsageAsk,
  ask: UsageAsk,
): AsyncGenerator<UsageCount> {
  let since: number | null = part.since
  while (since !== null) {
    const slice: UsageSlice = await read({ ...part, since, rows: rowsAtOnce })
    for (const count of slice.counts) yield named(count, ask)
    since = slice.next
  }
}

function named(count: UsageCount, ask: UsageAsk): UsageCount {
  return ask.bucketMs === null ? { ...count, at: ask.since } : count
}

interface Span {
  isSummed: boolean
  since: number
  until: number
}

/**
 * Splits the time range into groups of summed days, limited in size, and the gaps between them. Sums cannot be used for
 * partial days.
 */
export function spansOf({ since, until, bucketMs }: UsageAsk, days: UsageState['days']): Span[] {
  const spans: Span[] = []
  let at = since
  let sums = 0
  const whole = bucketMs === null || bucketMs % dayMs === 0
  for (const each of whole ? days : []) {
    const end = each.day + dayMs
    if (each.day < since || end > until) continue
    if (each.day > at) spans.push({ isSummed: false, since: at, until: each.day })
    const last = spans.at(-1)
    if (last?.isSummed && last.until === each.day && sums + each.sums <= rowsAtOnce) {
      last.until = end
      sums += each.sums
    } else {
      spans.push({ isSummed: true, since: each.day, until: end })
      sums = each.sums
    }
    at = end
  }
  if (at < until) spans.push({ isSummed: false, since: at, until })
  return spans
}
