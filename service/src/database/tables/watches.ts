import type { Generated } from 'kysely'

/** A record that an environment is notified about, and that one of its keys pays to look at again and again. */
export interface WatchRow {
  id: string
  account_id: number
  key_id: string
  kind: 'people' | 'companies'
  /** What is watched, as the caller's identifier was resolved; never a domain. */
  type: 'slug' | 'id' | 'opaque' | 'urn' | 'domain' | 'match' | 'email' | 'phone'
  value: string
  /** Null until the environment has paid for the record once: before that it hears nothing of it. */
  entity_id: number | null
  every_days: number
  note: string | null
  created_at: number
  next_due: number
  /** Until then a node is at work on it. */
  claimed_until: Generated<number>
  /** The number of that lease: one higher each time. What is paid for the look carries it. */
  lease: Generated<number>
  /** What the running lookup may cost, counted in `watch_budgets` already. */
  reserved: Generated<number>
  looked_at: number | null
  /** When the data of the last answer was fetched. */
  seen_at: number | null
  /** The source of the last answer, or the code of its failure. */
  result: string | null
  /** Why it rests; null = it goes on. */
  paused: string | null
}

/** What the watches of an environment may spend in a UTC month, and have spent in the one named. */
export interface WatchBudgetRow {
  account_id: number
  max_credits: number | null
  month: string
  spent: number
}
