import type { DataSource, Kind } from '@vitae/contract'
import type { Lease } from '../../work/leases.ts'
import type { closedProject, endedKey, LimitMet, outOfMoney } from '../../foundation/failure.ts'

/** The facts of an answered call that become its receipt. */
export interface CallFacts {
  kind: Kind
  source: DataSource
  identifier: string | null
  entityId: number | null
  /** The key of the answered record. Only `recipients` stores it, so the call log has no column for it. */
  key?: string
  versionId: number | null
  /** The fold of the served version; null if nothing was filled. */
  foldId?: number | null
  fetchId: number | null
  durationMs: number | null
  /** The caller's label for the purpose of the call. */
  tag: string | null
  /** The price book and the lines that applied; see `prices/price-note.ts`. */
  price: string | null
}

export interface Idempotency {
  /** Keyed hash of the caller's value. */
  hash: string
  fingerprint: string
  /** When the answer is forgotten. A running idempotency record ends with its hold instead. */
  expiresAt: number
}

interface Step {
  requestId: string
  keyId: string
  environmentId: number
  /** The time of this step, not of the call's arrival: the key's state at this time decides. */
  at: number
  idempotency: Idempotency | null
  /** The answer waits for a later commit, which is synced, so this step needs no sync of its own. */
  answeredLater?: boolean
  /** The step is done only while this is the newest lease, so that a node presumed dead pays for nothing. */
  lease?: Lease
}

interface Payment extends Step {
  price: number
  /** The part of the price that is due even if the record is a free repeat: its optional parts. */
  extras: number
  /** The environment pays nothing for a record that it paid for at or after this time. */
  repeatFreeSince: number | null
  call: CallFacts
}

/** Charges an answer in one step. */
export interface ChargeRequest extends Payment {
  type: 'charge'
}

/** Reserves the highest possible price before a fetch, so that concurrent calls cannot overspend. */
export interface HoldRequest extends Step {
  type: 'hold'
  amount: number
  expiresAt: number
}

/** Ends the hold of the same request with a charge; if the hold has expired, it charges directly. */
export interface CaptureRequest extends Payment {
  type: 'capture'
}

/** Ends the hold of the same request without a charge. */
export interface ReleaseRequest extends Step {
  type: 'release'
}

/** Asks for the decision on a hold without changing anything. */
export interface CheckRequest extends Step {
  type: 'check'
  amount: number
}

export type SettleRequest = ChargeRequest | HoldRequest | CaptureRequest | ReleaseRequest | CheckRequest
export type PaymentRequest = ChargeRequest | CaptureRequest

export type RefusalCode = (typeof outOfMoney | typeof endedKey | typeof closedProject)[number]

/** The record of an earlier payment, which a release has found. */
export type AnsweredRecord = Pick<CallFacts, 'entityId' | 'versionId' | 'fetchId'>

export type Verdict =
  | { outcome: 'settled'; charged: number; answered?: AnsweredRecord }
  | { outcome: 'refused'; code: RefusalCode; limit?: LimitMet }
  /** The version of the first answer, and the source under which the replay is served. */
  | {
      outcome: 'replay'
      requestId: string
      versionId: number | null
      foldId?: number | null
      source: 'store' | 'stale_fallback'
    }
  | { outcome: 'running'; requestId: string; expiresAt: number }
  | { outcome: 'mismatch' }
  /** Its lease is no longer the newest, so nothing was done. */
  | { outcome: 'superseded' }

/** The caller's remaining credits, for the headers of every answer. */
export interface RemainingCredits {
  available: number
  /** The ceiling of the key with the least remaining; null if absent. */
  ceilingRemaining: number | null
  /** When that ceiling resets. */
  ceilingResetsAt: number | null
}

export type Decision = Verdict & RemainingCredits
