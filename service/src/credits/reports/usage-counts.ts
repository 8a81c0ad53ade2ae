import type { Kind } from '@vitae/contract'

/** What calls can be counted by. An environment is only told apart together with its project. */
export const usageGroups = ['project', 'environment', 'key', 'tag', 'endpoint', 'source', 'status', 'day'] as const
export type UsageGroup = (typeof usageGroups)[number]

export interface UsageAsk {
  since: number
  until: number
  /** Length of a period; periods begin at multiples of it since the epoch. */
  bucketMs: number
  by: UsageGroup[]
  project: string | null
  environment: string | null
  /** Of this key only. */
  keyId?: string | null
  mode: 'live' | 'test' | null
}

/** Calls of one period and group that took about as long as each other. */
export interface UsageCount {
  at: number
  project?: string
  environment?: string
  keyId?: string
  tag?: string | null
  kind?: Kind | null
  source?: string | null
  status?: number
  durationStep: number | null
  calls: number
  credits: number
}

export interface UsageSlice {
  counts: UsageCount[]
  /** Where the next slice begins; null after the last one. */
  next: number | null
}

const rowsAtOnce = 20_000

/** Reads counts from `since` to `until`, slice by slice. Apart from the SQL, which the serving thread never loads. */
async function* inSlices(
  read: (ask: UsageAsk & { rows: number }) => Promise<UsageSlice>,
  ask: UsageAsk,
): AsyncGenerator<UsageCount> {
  let since: number | null = ask.since
  while (since !== null) {
    const slice: UsageSlice = await read({ ...ask, since, rows: rowsAtOnce })
    yield* slice.counts
    since = slice.next
  }
}

/** Counts the call log. */
export function usageCounts(store: Pick<UsageStore, 'usageSlice'>, ask: UsageAsk): AsyncGenerator<UsageCount> {
  return inSlices((slice) => store.usageSlice(slice), ask)
}

interface UsageStore {
  usageSlice(ask: UsageAsk & { rows: number }): Promise<UsageSlice>
  usageDays(ask: UsageAsk & { rows: number }): Promise<UsageSlice>
  aggregatedCalls(ask: UsageAsk): Promise<number>
}

/** Adds up the call log and what is left of removed calls; from the start again when retention moves calls meanwhile. */
export async function countUsage<Sum>(
  store: UsageStore,
  ask: UsageAsk,
  addUp: (counts: AsyncIterable<UsageCount>) => Promise<Sum>,
): Promise<Sum> {
  for (;;) {
    const aggregated = await store.aggregatedCalls(ask)
    const sum = await addUp(allCounts(store, ask))
    if ((await store.aggregatedCalls(ask)) === aggregated) return sum
  }
}

async function* allCounts(store: UsageStore, ask: UsageAsk): AsyncGenerator<UsageCount> {
  yield* inSlices((slice) => store.usageDays(slice), ask)
  yield* usageCounts(store, ask)
}
