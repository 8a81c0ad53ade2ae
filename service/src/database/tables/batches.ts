import type { Generated } from 'kysely'

export type BatchStatus = 'uploading' | 'queued' | 'running' | 'paused' | 'completed' | 'cancelled' | 'failed'

export type BatchRowStatus = 'found' | 'not_found' | 'invalid' | 'failed'

/** A file of lookups. Nobody sees `uploading` ones. */
export interface BatchRow {
  id: Generated<number>
  public_id: string
  account_id: number
  key_id: string
  mode: 'live' | 'test'
  kind: 'people' | 'companies'
  name: string | null
  status: BatchStatus
  /** JSON: how its rows are looked up, what its results show, and the header of its file. */
  options: string
  max_credits: number | null
  /** Keyed hash of the submission's Idempotency-Key, and the digest of the submitted file. */
  idempotency_hash: string | null
  digest: string | null
  total: number
  found: Generated<number>
  not_found: Generated<number>
  invalid: Generated<number>
  failed: Generated<number>
  credits: Generated<number>
  /** Why it is paused or has failed. */
  reason: string | null
  /** When a paused batch resumes by itself; null = when somebody resumes it. */
  resume_at: number | null
  /** Since when it is paused, despite any attempts to resume, and the last notified reason; null while it runs. */
  paused_since: Generated<number | null>
  told_pause: Generated<string | null>
  /** Consecutive backoffs without progress. */
  backoffs: Generated<number>
  /** Since when no provider has answered; null = the last one asked did. */
  failing_since: number | null
  /** The node that runs it, until its lease ends. Uses the database's time: one clock for all nodes. */
  runner: string | null
  lease_until: Generated<number>
  /** The fencing number of the lease: one higher with each runner. Payments for the batch carry it. */
  lease: Generated<number>
  /** When the current runner began, and how many rows were done then. */
  claimed_at: number | null
  claimed_done: Generated<number>
  created_at: number
  started_at: number | null
  ended_at: number | null
  /** When it is removed; for an upload, when it counts as abandoned. */
  expires_at: number | null
}

export interface BatchInputRow {
  batch_id: number
  /** From 1, in the order of the input. */
  number: number
  /** The given id; null if it was unusable, for a match, and after an erasure. */
  input: string | null
  /**
   * Keyed hash of the question: rows of one batch with the same hash are paid once. Null if nobody is named, and in
   * older batches.
   */
  subject: string | null
  /**
   * Keyed hashes of the contact details of a match and of the whole match: `email HASH,match HASH`. Null if there are
   * none, and after an erasure.
   */
  names: string | null
  /** JSON: the match input and the expectations. Null if absent, and after an erasure. */
  question: string | null
  /** JSON: the cells of the row in the order of the batch's `header`, or its other members. Null after an erasure. */
  columns: string | null
}

/** The result of a row. The record is the version of the answer: there is no second copy. */
export interface BatchResultRow {
  batch_id: number
  number: number
  status: BatchRowStatus
  error: string | null
  source: string | null
  fetched_at: number | null
  credits: number
  /** The request that was charged for it; several rows may share it. */
  request_id: string | null
  version_id: number | null
  /** The fold of the answer; null if nothing was filled. */
  fold_id: Generated<number | null>
  /** The problem, without anything that was sent. */
  detail: string | null
  /** For a match: its likelihood, and what agreed, comma-separated. */
  likelihood: number | null
  matched_on: string | null
}
