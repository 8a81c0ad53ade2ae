import type { Generated } from 'kysely'

export interface FetchRow {
  id: Generated<number>
  provider: string
  kind: 'people' | 'companies'
  /** The requested type and value of the identifier, `slug:ada`. */
  identifier: string | null
  at: number
  status: number | null
  outcome: string
  cost: number | null
  payload_hash: string | null
  entity_id: number | null
  redacted: number
  duration_ms: number | null
  /** The number of requests that the provider may bill; null if not counted. */
  requests: Generated<number | null>
  /** Paths that were removed from the payload before it was archived, comma-separated. */
  removed: Generated<string | null>
  checksum: Generated<number | null>
}

export interface PayloadRow {
  /** SHA-256 of the bytes, hex. They are unchanged, unless a fetch lists what was removed. */
  hash: string
  /** zstd. */
  bytes: Uint8Array
  size: number
  at: number
}

export interface ProviderMonthRow {
  provider: string
  month: string
  calls: number
}

export interface ProviderStateRow {
  provider: string
  paused: number
  changed_at: number
  /** Since when it was notified as down; null = it is not. */
  down_since: Generated<number | null>
  /** The digest of its provider file that an operator has confirmed with a call. */
  confirmed: Generated<string | null>
}

/** The calls to a provider on a finished UTC day. They name nobody. */
export interface ProviderDayRow {
  day: number
  provider: string
  kind: 'people' | 'companies'
  outcome: string
  calls: number
  /** The cost that the provider reported, in its own credits, and the number of calls with a reported cost. */
  cost: number
  costed: number
  requests: number
}

/** In how many answers of a provider each unit had a value, by UTC day: about nobody. */
export interface FillDayRow {
  day: number
  provider: string
  kind: 'people' | 'companies'
  /** Answers that were counted; of a day that is not over, the newest ones. */
  answers: number
  /** JSON: in how many of them each unit had a value. */
  filled: string
  /** JSON: the units that fell below half of their usual rate. Null: too few answers to judge. */
  drifted: Generated<string | null>
}
