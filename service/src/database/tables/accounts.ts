import type { Generated } from 'kysely'

export interface ProjectRow {
  name: string
  suspended: number
  billing_blocked: number
  created_at: number
}

/** Credits belong to an environment. `balance` and `held` are derived from the entries. */
export interface EnvironmentRow {
  id: Generated<number>
  project: string
  name: string
  balance: number
  held: number
  created_at: number
  /** Credits that its keys may spend together in a UTC month; null = no budget. */
  monthly_budget: Generated<number | null>
  /** Below this balance `credits.low` is sent; null = when nothing is left. */
  alert_credits_below: Generated<number | null>
  /** The percentage of a ceiling at which `ceiling.near` is sent; null = the default. */
  alert_ceiling_percent: Generated<number | null>
  /** Whether `credits.low` was sent since the balance was last high enough. */
  low_told: Generated<number>
  /** The providers that may answer it, in order: a JSON list; null = all. */
  route: Generated<string | null>
  /** Credits granted on the 1st of each UTC month; null = none. */
  recurring_credits: Generated<number | null>
  /** Whether unspent credits stay for the next month. */
  recurring_carries: Generated<number>
  /** The newest granted month, or the month in which it was set; and the amount granted for it. */
  recurring_month: Generated<string | null>
  recurring_granted: Generated<number>
  /** Months granted by a clock that may be wrong, as JSON; null = none. */
  recurring_unsure: Generated<string | null>
}

export interface KeyRow {
  id: string
  /** SHA-256 of the key, hex. The key itself is never stored. */
  hash: string
  /** First and last characters, for display. */
  display: string
  project: string
  environment_id: number
  mode: 'live' | 'test'
  label: string | null
  ceiling: number | null
  rate_limit: number | null
  rate_window_ms: number | null
  endpoints: string | null
  parts: string | null
  networks: string | null
  expires_at: number | null
  created_at: number
  last_used_at: number | null
  /** When it was revoked, or when the overlap of its rotation ends. */
  revoked_at: number | null
  /** 1 = revoked. It is a state and not a time, so that no clock makes such a key valid again. */
  revoked: number
  /** The first key of a rotation chain: the month's spending is counted under it. */
  spend_id: string
  rotated_from: string | null
  /** Credits per UTC day; `ceiling` is the same per month. */
  daily_ceiling: number | null
  /** The start of the first day whose spending is counted by day; null until its chain has had a daily ceiling. */
  days_from: number | null
}
