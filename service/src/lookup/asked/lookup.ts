import type { DataSource } from '@vitae/contract'
import type { CompiledBook } from '../../credits/prices/compiled-book.ts'
import type { PricedBy } from '../../credits/prices/price-book.ts'
import type { RemainingCredits } from '../../credits/decision/settlement-requests.ts'
import { identifierKey, type CompanyPage, type Identifier } from '../../foundation/identifier.ts'
import type { Body, PartsAsked } from '../../records/body/record-bytes.ts'
import type { CallTrace } from './call-trace.ts'
import type { Fill } from '../../records/filling/plan-fills.ts'
import type { MatchFacts } from '@vitae/provider'
import type { FreshnessAsk } from './freshness.ts'
import type { Expected } from './expectations.ts'

/** One lookup, parsed. */
export interface Lookup {
  requestId: string
  identifier: Identifier
  /** The identifier as one string for caches; computed once per question. */
  name: string
  include: PartsAsked
  /** The kind of page whose URL the caller sent for a company. Only test keys need it: a real page states its kind. */
  page?: CompanyPage
  freshness: FreshnessAsk
  /** The fields that the body contains, in the contract's order; null = all. */
  fields?: readonly string[] | null
  /** Dotted paths that the record must have, sorted alphabetically; null = none. */
  require?: readonly string[] | null
  /** The person or company that the caller means; a record that contradicts it is not an answer. */
  expect?: Expected | null
  /**
   * The question of a match. It replaces the identifier in the fingerprint, so that a retry stays a retry even if it
   * resolves to another record.
   */
  matched?: Pick<Identifier, 'type' | 'value'>
  /**
   * Of a batch row: the question that it asks. All rows with the same question share one answer and one charge under
   * one idempotency key. The expectations of each row are compared with that answer.
   */
  sharedAs?: string
  /** The caller's Idempotency-Key, unquoted; null when none was sent. */
  idempotencyKey: string | null
  /**
   * The caller's label for the purpose of the call. It is stored with the call and is not part of the idempotency
   * fingerprint.
   */
  spendTag?: string | null
  /** The price category, if it is not a plain lookup, and the price book, if it was fixed before. */
  pricedAs?: { kind?: 'resolve'; by?: PricedBy; book?: CompiledBook }
  startedAt: number
  /** The number of fetches that had ended when the call began. Later fetches of the same question are shared. */
  since?: number
  /** Whether the caller has disconnected; unset for calls that the service makes itself. */
  isGone?: (() => boolean) | undefined
  /** Of a batch row: resolves when it may fetch. */
  fetchTurn?: (() => Promise<void>) | undefined
  /** Only for a call that the cache could not answer; see `traceOf`. */
  trace?: CallTrace
}

const noParts: PartsAsked = { contact: false, network: false, verifications: false }
const usualFreshness: FreshnessAsk = { maxAgeDays: null, bypassCache: false, onlyStored: false, refuseStale: false }

/** The required facts of a lookup, and those that differ from the defaults. */
type NewLookup = Pick<Lookup, 'requestId' | 'startedAt' | 'identifier'> &
  Partial<Omit<Lookup, 'freshness'>> & { freshness?: Partial<FreshnessAsk> }

/** Builds a lookup. Defaults: the whole record without optional parts, with the default maximum age. */
export function newLookup({ identifier, name = identifierKey(identifier), freshness, ...asked }: NewLookup): Lookup {
  return {
    identifier,
    name,
    include: noParts,
    idempotencyKey: null,
    ...asked,
    freshness: { ...usualFreshness, ...freshness },
  }
}

/** The paid call whose answer another call repeats; the receipt of the repeat shows it too. */
export interface Replayed {
  requestId: string
  entityId: number
  versionId: number
  foldId: number | null
  fetchId: number | null
}

/** A unit of an answer that comes from another version. */
export type Filled = Pick<Fill, 'unit' | 'provider' | 'fetchedAt'>

/** A record with its provenance and its price. */
export interface LookupAnswer {
  body: Body
  source: DataSource
  fetchedAt: number
  sourceUpdatedAt: number | null
  thin: boolean
  /** The entity that was served; null for a sample. */
  entityId: number | null
  /** The version of the record that was served; null for a sample. */
  versionId: number | null
  /** The fills of the record; null if absent. */
  foldId: number | null
  /** The units of the body that come from other versions; unset if all units are its own. */
  filled?: readonly Filled[]
  /** The likelihood that the record is the one meant, if providers were asked by a match. */
  match?: MatchFacts
  /** The paid call that this one repeats. */
  replay: Replayed | null
  /** Null for test keys. */
  credits: ({ charged: number } & RemainingCredits) | null
}
