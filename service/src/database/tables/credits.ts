import type { Generated } from 'kysely'

/** Spending in a period: of a key in a month and in a day, of an environment with a budget in a month. */
export interface SpendPeriodRow {
  /** The `spend_id` of a key, or `environment 5`. */
  spend_id: string
  /** UTC calendar month, `2026-11`, or day, `2026-11-14`. */
  period: string
  captured: number
  held: number
  /** The ceiling or budget for which a near or reached alert was sent; null = not yet. */
  near_notified: Generated<number | null>
  reached_notified: Generated<number | null>
}

export type EntryKind = 'grant' | 'hold' | 'capture' | 'release' | 'charge' | 'adjustment'

export interface LedgerEntryRow {
  id: Generated<number>
  account_id: number
  kind: EntryKind
  amount: number
  /** For `capture`: the amount of the hold that it ends. */
  held_amount: number | null
  key_id: string | null
  spend_id: string | null
  month: string | null
  request_id: string | null
  hold_id: string | null
  reason: string | null
  actor: string | null
  at: number
  checksum: Generated<number | null>
}

export interface HoldRow {
  id: string
  account_id: number
  key_id: string
  spend_id: string
  month: string
  amount: number
  placed_at: number
  expires_at: number
  /** The running idempotency record, which ends with the hold. */
  idempotency_hash: string | null
}

export interface IdempotencyRow {
  account_id: number
  /** Keyed hash of the caller's value. */
  hash: string
  /** The fingerprint of the request; empty once its subject was erased. */
  fingerprint: string
  state: 'running' | 'done'
  request_id: string
  version_id: number | null
  /** The fold of the answer; null if nothing was filled. */
  fold_id: Generated<number | null>
  source: string | null
  created_at: number
  /** Running: when its node counts as dead. Done: when the answer is deleted. */
  expires_at: number
  checksum: Generated<number | null>
}

/** A version that an environment was served with live keys. */
export interface PaidVersionRow {
  version_id: number
  account_id: number
}

/** The statement of an environment for a closed month; it never changes. */
export interface StatementRow {
  account_id: number
  month: string
  /** JSON. */
  body: string
  digest: string
  /** The newest ledger entry when it was closed: later entries count in a later month, whatever their own month is. */
  last_entry: number
  closed_at: number
}

/** The remains of calls that retention removed before their month was closed. An empty text stands for null. */
export interface StatementSumRow {
  account_id: number
  month: string
  what: 'line' | 'cost'
  /** The price note of a line, or the provider. */
  name: string
  /** For a line: credits per call. */
  each: number
  kind: string
  source: string
  tag: string
  calls: number
  /** Credits, or millionths of the currency. */
  amount: number
}

/** A price book; it never changes. */
export interface PriceBookRow {
  version: number
  valid_from: number
  /** JSON, in order of precedence. */
  lines: string
  parts: string
  set_at: number
  actor: string
}

/** When an environment last paid for a record. Written only while repeats are free. */
export interface PaidRecordRow {
  account_id: number
  entity_id: number
  paid_at: number
}
