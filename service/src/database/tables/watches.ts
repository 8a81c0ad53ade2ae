import type { Generated } from 'kysely'

/** A record that an environment is notified about, and whose refreshes one of its keys pays for. */
export interface WatchRow {
  id: string
  account_id: number
  key_id: string
  kind: 'people' | 'companies'
  /** The watched identifier, as resolved from the caller's input; never a domain. */
  type: 'slug' | 'id' | 'opaque' | 'urn' | 'domain' | 'match' | 'email' | 'phone'
  value: string
  /** Null until the environment has paid for the record once: before that it is not notified. */
  entity_id: number | null
  every_days: number
  note: string | null
  created_at: number
  next_due: number
  /** Until then a node works on it. */
  claimed_until: Generated<number>
  /** The fencing number of that lease: one higher each time. Payments for the refresh carry it. */
  lease: Generated<number>
  /** The maximum cost of the running refresh, already counted in `watch_budgets`. */
  reserved: Generated<number>
  looked_at: number | null
  /** When the data of the last answer was fetched. */
  seen_at: number | null
  /** The source of the last answer, or the code of its failure. */
  result: string | null
  /** Why it is paused; null = it is active. */
  paused: string | null
}

/** The monthly spending limit of an environment's watches, and what they have spent in the named month. */
export interface WatchBudgetRow {
  account_id: number
  max_credits: number | null
  month: string
  spent: number
}
