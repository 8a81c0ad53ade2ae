import type { usageGroups } from '@vitae/contract/admin'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Kind } from '@vitae/contract'
import { dayMs } from '../../foundation/clock.ts'

/** What calls can be counted by. An environment is only told apart together with its project. */
export type UsageGroup = (typeof usageGroups)[number]

/** Which calls one row is about: as far as it was asked for. */
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
  /** Length of a period; periods begin at multiples of it since the epoch. Null: the whole time is one. */
  bucketMs: number | null
  by: readonly UsageGroup[]
  /** Only these are told apart, by their number here; all others are counted together, as number -1. */
  places?: readonly UsageNames[]
  project: string | null
  environment: string | null
  /** Of this key only. */
  keyId?: string | null
  /** With this tag only; an empty text: without one. */
  tag?: string | null
  mode: 'live' | 'test' | null
  /** Whether to tell how long calls took. Sums by key or tag do not know. */
  durations?: boolean
}

/** Calls of one period and group. */
export interface UsageCount extends UsageNames {
  /** The period; where all is one, the beginning of the time. */
  at: number
  place?: number
  /** All took about this long; null where that is not told. */
  durationStep: number | null
  /** Of sums: how many took how long, `step:calls step:calls`. */
  durations?: string | null
  calls: number
  credits: number
}

export interface UsageSlice {
  counts: UsageCount[]
  /** Where the next slice begins; null after the last one. */
  next: number | null
}

/** Days that have sums, and how many calls retention has removed: a report holds while these stay the same. */
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
/** Adding up so many takes about half a millisecond. */
const countsOfTurn = 100

/**
 * Adds up calls: whole days from their sums where these are made, all others from the call log and what is left of removed calls.
 * From the start again when a sum was made again, or retention moved calls, meanwhile.
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

/** Calls are answered between the counts. */
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

/** Reads slice by slice, so that payments need not wait. */
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

/** The time in parts: days with sums, a bounded number of these in each, and what lies between them. Of a cut day a sum says nothing. */
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
