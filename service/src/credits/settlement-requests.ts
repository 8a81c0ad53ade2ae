import type { DataSource, Kind } from '@vitae/contract'
import type { closedProject, endedKey, LimitMet, outOfMoney } from '../foundation/failure.ts'

/** What the caller of the ledger knows of an answered call. It becomes the call's receipt. */
export interface CallFacts {
  kind: Kind
  source: DataSource
  identifier: string | null
  entityId: number | null
  versionId: number | null
  /** The fold of the version that was served; null where nothing was filled. */
  foldId?: number | null
  fetchId: number | null
  durationMs: number | null
  /** What the caller said it was for. */
  tag: string | null
  /** The price book and the lines that applied, see `prices/price-note.ts`. */
  price: string | null
}

export interface Idempotency {
  /** Keyed hash of the caller's value. */
  hash: string
  fingerprint: string
  /** Until when the answer is remembered. A running idempotency record ends with its hold instead. */
  expiresAt: number
}

/** The right to work on something, as it was when the work began: whoever takes it over gets a higher number. */
export interface Lease {
  of: 'batches' | 'watches'
  id: string
  number: number
}

interface Step {
  requestId: string
  keyId: string
  environmentId: number
  /** The moment of this step, not of the call's arrival: the key's state at it decides. */
  at: number
  idempotency: Idempotency | null
  /** Nothing is answered on it before another commit, which is synced, so it needs no sync of its own. */
  answeredLater?: boolean
  /** It is only done while this is the newest lease: a node that was taken for dead pays for nothing more. */
  lease?: Lease
}

interface Payment extends Step {
  price: number
  /** What of the price is owed even where the record is free as a repeat: its optional parts. */
  extras: number
  /** The environment pays nothing for a record that it paid for at this moment or later. */
  repeatFreeSince: number | null
  call: CallFacts
}

/** An answer that is paid in one step. */
export interface ChargeRequest extends Payment {
  type: 'charge'
}

/** Sets the highest possible price aside before a fetch, so that concurrent calls cannot overspend. */
export interface HoldRequest extends Step {
  type: 'hold'
  amount: number
  expiresAt: number
}

/** Ends the hold of the same request with a charge; without one (it expired) it is a charge. */
export interface CaptureRequest extends Payment {
  type: 'capture'
}

/** Ends the hold of the same request without a charge. */
export interface ReleaseRequest extends Step {
  type: 'release'
}

/** Asks what a hold would be told, and changes nothing. */
export interface CheckRequest extends Step {
  type: 'check'
  amount: number
}

export type SettleRequest = ChargeRequest | HoldRequest | CaptureRequest | ReleaseRequest | CheckRequest
export type PaymentRequest = ChargeRequest | CaptureRequest

export type RefusalCode = (typeof outOfMoney | typeof endedKey | typeof closedProject)[number]

export type Verdict =
  | { outcome: 'settled'; charged: number }
  | { outcome: 'refused'; code: RefusalCode; limit?: LimitMet }
  /** The first answer's record version, with the source that the replay is served under. */
  | {
      outcome: 'replay'
      requestId: string
      versionId: number | null
      foldId?: number | null
      source: 'store' | 'stale_fallback'
    }
  | { outcome: 'running'; requestId: string; expiresAt: number }
  | { outcome: 'mismatch' }
  /** Its lease is no longer the newest: nothing was done. */
  | { outcome: 'superseded' }

/** What the caller may still spend, for the headers of every answer. */
export interface RemainingCredits {
  available: number
  /** Of the key's ceilings, the one of which the least is left; null where it has none. */
  ceilingRemaining: number | null
  /** When that ceiling begins again. */
  ceilingResetsAt: number | null
}

export type Decision = Verdict & RemainingCredits
