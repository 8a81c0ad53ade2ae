import type { Generated } from 'kysely'

/** A serving process on PostgreSQL. Times are the database's own: one clock for all nodes. */
export interface NodeRow {
  id: string
  seen_at: number
  /** The last alarm that it has acted on. */
  heard: number
  /** When it was last without Redis; 0 = never. */
  cut_off_at: Generated<number>
  /** Always 1: every node answers callers. */
  serves: number
}

/** What one node has let through in a running window, written when the common counter is lost. */
export interface RateReportRow {
  node: string
  id: string
  used: number
  /** What Redis had counted for all nodes when this one last asked it. */
  seen: Generated<number>
  ends_at: number
}

/** Work that one process does for all, until `expires_at` by the database's clock. */
export interface LeaseRow {
  name: string
  holder: string
  expires_at: number
  /** One higher with each new holder. */
  number: Generated<number>
}

export interface SettingRow {
  name: string
  value: string
}
