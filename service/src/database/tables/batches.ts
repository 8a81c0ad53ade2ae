import type { Generated } from 'kysely'

export type BatchStatus = 'uploading' | 'queued' | 'running' | 'paused' | 'completed' | 'cancelled' | 'failed'

export type BatchRowStatus = 'found' | 'not_found' | 'invalid' | 'failed'

/** A file of lookups. `uploading` ones are seen by nobody. */
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
  /** Keyed hash of the Idempotency-Key of its submission, and the digest of what was submitted. */
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
  /** When a paused one goes on by itself; null = when somebody resumes it. */
  resume_at: number | null
  /** Since when it does not go on, however often that was tried, and the reason that was notified last; null while it does. */
  paused_since: Generated<number | null>
  told_pause: Generated<string | null>
  /** Pauses in a row that ended in the next one. */
  backoffs: Generated<number>
  /** Since when no provider has answered; null = the last one that was asked did. */
  failing_since: number | null
  /** The node that runs it, until its lease ends. The database's own time: one clock for all nodes. */
  runner: string | null
  lease_until: Generated<number>
  /** The number of the lease: one higher with each runner. What is paid for the batch carries it. */
  lease: Generated<number>
  /** When the present runner began, and how many rows were done then. */
  claimed_at: number | null
  claimed_done: Generated<number>
  created_at: number
  started_at: number | null
  ended_at: number | null
  /** When it is removed; of an upload, when it counts as given up. */
  expires_at: number | null
}

export interface BatchInputRow {
  batch_id: number
  /** From 1, in the order of the input. */
  number: number
  /** The id that was given; null where it was no text that could name anybody, of a match, and after an erasure. */
  input: string | null
  /** Keyed hash of what is asked for: rows of one batch that have the same are paid once. Null where nobody is named, and in older batches. */
  subject: string | null
  /** Keyed hashes of the addresses in a match and of all of it: `email HASH,match HASH`. Null where there are none, and after an erasure. */
  names: string | null
  /** JSON: the members of a match, and what is expected of the record. Null where there is neither, and after an erasure. */
  question: string | null
  /** JSON: the cells of the row in the order of the batch's `header`, or its other members. Null after an erasure. */
  columns: string | null
}

/** How a row ended. The record is the version of the answer: there is no second copy. */
export interface BatchResultRow {
  batch_id: number
  number: number
  status: BatchRowStatus
  error: string | null
  source: string | null
  fetched_at: number | null
  credits: number
  /** The request that was charged for it; several rows may have the same. */
  request_id: string | null
  version_id: number | null
  /** The fold of the answer; null where nothing was filled. */
  fold_id: Generated<number | null>
  /** What was wrong, without anything that was sent. */
  detail: string | null
  /** Of a match: how sure it is, and what agreed, with commas. */
  likelihood: number | null
  matched_on: string | null
}
