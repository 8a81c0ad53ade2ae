import type { Generated } from 'kysely'

export interface CallRow {
  request_id: string
  at: number
  mode: 'live' | 'test'
  key_id: string
  account_id: number
  kind: 'people' | 'companies'
  status: number
  code: string | null
  source: string | null
  credits: number
  identifier: string | null
  entity_id: number | null
  version_id: number | null
  fetch_id: number | null
  /** The paid request that this one replayed. */
  replay_of: string | null
  duration_ms: number | null
  /** The number of further identical calls that this row stands for; null = none. */
  repeats: Generated<number | null>
  /** The caller's label for its purpose, `X-Spend-Tag`. */
  tag: Generated<string | null>
  /** The served fold; null if nothing was filled. */
  fold_id: Generated<number | null>
  /**
   * The price book and the lines that applied, `3 12:1 contact:2`; null if nothing was priced, and for earlier calls.
   */
  price: Generated<string | null>
  checksum: Generated<number | null>
}

/** Only for calls that failed or asked a provider. */
export interface CallDetailsRow {
  request_id: string
  at: number
  kind: 'people' | 'companies'
  /** The requested identifier, `slug:ada`; null after an erasure. */
  identifier: string | null
  /** JSON; it names nobody. */
  explanation: string
  checksum: Generated<number | null>
}

/** A UTC day whose calls or fetches are in the sum tables. */
export interface SummedDayRow {
  what: 'calls' | 'fetches'
  day: number
  /** The number of counted rows that are still in the call log: any more were written late. See `isFinal`. */
  rows: number
  /** The number of sum rows, and when they were made. Only nodes of the previous version read them. */
  sums: number
  made: number
}

/** The calls of a day by key and tag, including those that retention has removed since. An empty text stands for null. */
export interface KeyDayRow {
  /** The start of the UTC day. */
  day: number
  account_id: number
  key_id: string
  mode: 'live' | 'test'
  kind: 'people' | 'companies' | ''
  status: number
  source: string
  tag: string
  calls: number
  credits: number
}

/** The same by environment, with their durations: `step:calls step:calls`. */
export type EnvironmentDayRow = Omit<KeyDayRow, 'key_id' | 'tag'> & { durations: string }

/** A tag that an environment has used on a UTC day, `2026-11-14`. Only the newest day of each environment is kept. */
export interface SpendTagRow {
  account_id: number
  day: string
  tag: string
}
