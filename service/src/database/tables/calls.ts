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
  /** The request that was paid for, when this one replayed it. */
  replay_of: string | null
  duration_ms: number | null
  /** How many further calls just like it this row stands for; null = none. */
  repeats: Generated<number | null>
  /** What the caller said it was for, `X-Spend-Tag`. */
  tag: Generated<string | null>
  /** The fold that was served; null where nothing was filled. */
  fold_id: Generated<number | null>
  /** The price book and the lines that applied, `3 12:1 contact:2`; null where nothing was priced, and for calls from before. */
  price: Generated<string | null>
}

/** Only of calls that failed or asked a provider. */
export interface CallDetailsRow {
  request_id: string
  at: number
  kind: 'people' | 'companies'
  /** What was asked for, `slug:ada`; null after an erasure. */
  identifier: string | null
  /** JSON; it names nobody. */
  explanation: string
}

/** What is left of the calls of a day that retention has removed. An empty text stands for null. */
export interface UsageDayRow {
  /** When the UTC day begins. */
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

/** A UTC day whose calls, or whose fetches, are in the tables of sums. */
export interface SummedDayRow {
  what: 'calls' | 'fetches'
  day: number
  /** How many rows of the call log were counted and are still there: more than that were written late. */
  rows: number
  /** How many rows of sums there are. */
  sums: number
  /** When it was summed: another value is another sum. */
  made: number
}

/** The calls of a day by environment, and how long they took: `step:calls step:calls`. An empty text stands for null. */
export type EnvironmentDayRow = Omit<UsageDayRow, 'key_id' | 'tag'> & { durations: string }

/** The calls of a day by key and tag, those that retention has removed since included. */
export type KeyDayRow = UsageDayRow

/** A tag that an environment has used on a UTC day, `2026-11-14`. Of each environment only the newest day is kept. */
export interface SpendTagRow {
  account_id: number
  day: string
  tag: string
}
