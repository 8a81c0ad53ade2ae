import type { Kind } from '@vitae/contract'

/** What calls can be counted by. An environment is only told apart together with its project. */
export const usageGroups = ['project', 'environment', 'key', 'tag', 'endpoint', 'source', 'status'] as const
export type UsageGroup = (typeof usageGroups)[number]

export interface UsageAsk {
  since: number
  until: number
  /** Length of a period; periods begin at multiples of it since the epoch. */
  bucketMs: number
  by: UsageGroup[]
  project: string | null
  environment: string | null
  mode: 'live' | 'test' | null
}

/** Calls of one period and group that took about as long as each other. */
export interface UsageCount {
  at: number
  project?: string
  environment?: string
  keyId?: string
  tag?: string | null
  kind?: Kind
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

/** Counts the call log from `since` to `until`, slice by slice. Apart from the SQL, which the serving thread never loads. */
export async function* usageCounts(
  store: { usageSlice(ask: UsageAsk & { rows: number }): Promise<UsageSlice> },
  ask: UsageAsk,
): AsyncGenerator<UsageCount> {
  let since: number | null = ask.since
  while (since !== null) {
    const slice: UsageSlice = await store.usageSlice({ ...ask, since, rows: rowsAtOnce })
    yield* slice.counts
    since = slice.next
  }
}
