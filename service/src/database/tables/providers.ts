import type { Generated } from 'kysely'

export interface FetchRow {
  id: Generated<number>
  provider: string
  kind: 'people' | 'companies'
  /** What was asked for: the type and value of the identifier, `slug:ada`. */
  identifier: string | null
  at: number
  status: number | null
  outcome: string
  cost: number | null
  payload_hash: string | null
  entity_id: number | null
  redacted: number
  duration_ms: number | null
  /** Requests that the provider may bill; null where they were not counted. */
  requests: Generated<number | null>
  /** Paths that were cut from the payload before it was archived, comma-separated. */
  removed: Generated<string | null>
}

export interface PayloadRow {
  /** SHA-256 of the bytes, hex. They are untouched, unless a fetch says what was removed. */
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
  /** The requests and verdicts of its file that an operator has confirmed with a call, by their digest. */
  confirmed: Generated<string | null>
}

/** The calls to a provider of a UTC day that is over, as they were when it ended: about nobody. */
export interface ProviderDayRow {
  day: number
  provider: string
  kind: 'people' | 'companies'
  outcome: string
  calls: number
  /** What the provider said they cost, in its own credits, and of how many it said anything. */
  cost: number
  costed: number
  requests: number
}
