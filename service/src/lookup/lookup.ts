import type { DataSource } from '@vitae/contract'
import type { CompiledBook } from '../credits/prices/compiled-book.ts'
import type { PricedBy } from '../credits/prices/price-book.ts'
import type { RemainingCredits } from '../credits/settlement-requests.ts'
import { identifierKey, type CompanyPage, type Identifier } from '../foundation/identifier.ts'
import type { Body, PartsAsked } from '../records/body/record-bytes.ts'
import type { CallTrace } from './call-trace.ts'
import type { Fill } from '../records/filling/plan-fills.ts'
import type { MatchFacts } from '@vitae/provider'
import type { FreshnessAsk } from './freshness.ts'
import type { Expected } from './match/expectations.ts'

/** One lookup, parsed. */
export interface Lookup {
  requestId: string
  identifier: Identifier
  /** The identifier as one text, for caches; made once for a question that is asked again and again. */
  name: string
  include: PartsAsked
  /** The kind of page whose URL the caller sent for a company. Only test keys need it: a real page says so itself. */
  page?: CompanyPage
  freshness: FreshnessAsk
  /** The only fields that the body shall have, in the contract's order; null = all. */
  fields?: readonly string[] | null
  /** Dotted paths that a record must have to be an answer, in the order of the alphabet; null = none. */
  require?: readonly string[] | null
  /** Whom the caller means; a record that contradicts it is no answer. */
  expect?: Expected | null
  /** What a match was asked by, in place of the identifier that it led to: a retry is one, wherever the first led. */
  matched?: Pick<Identifier, 'type' | 'value'>
  /**
   * Of a row of a batch, what it asks for: all rows that ask for it share one answer and its charge, under one idempotency key. What
   * each of them expects is compared with that answer.
   */
  sharedAs?: string
  /** The caller's Idempotency-Key, unquoted; null when none was sent. */
  idempotencyKey: string | null
  /** What the caller says the call is for; kept with the call, and no part of what makes two calls the same. */
  spendTag?: string | null
  /** What it is priced as, where that is not a lookup by a caller, and by which book, where that was settled before. */
  pricedAs?: { kind?: 'resolve'; by?: PricedBy; book?: CompiledBook }
  startedAt: number
  /** How many fetches had ended when the call began to read what is known: later ones of its question are shared. */
  since?: number
  /** Whether the caller has closed its connection; unset where the service makes the call by itself. */
  isGone?: (() => boolean) | undefined
  /** Only of a call that the memory could not answer; see `traceOf`. */
  trace?: CallTrace
}

const noParts: PartsAsked = { contact: false, network: false, verifications: false }
const usualFreshness: FreshnessAsk = { maxAgeDays: null, bypassCache: false, onlyStored: false, refuseStale: false }

/** What a lookup needs, and what is not as usual. */
type NewLookup = Pick<Lookup, 'requestId' | 'startedAt' | 'identifier'> &
  Partial<Omit<Lookup, 'freshness'>> & { freshness?: Partial<FreshnessAsk> }

/** A lookup of the whole record without its optional parts, of the usual age, where nothing else is said. */
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

/** The call that was paid for, when another one repeats its answer; it stands in the receipt of that one too. */
export interface Replayed {
  requestId: string
  entityId: number
  versionId: number
  foldId: number | null
  fetchId: number | null
}

/** A unit of an answer that another version fills. */
export type Filled = Pick<Fill, 'unit' | 'provider' | 'fetchedAt'>

/** A record with honest provenance, and what it cost. */
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
  /** What fills it; null where nothing does. */
  foldId: number | null
  /** The units in the body that come from other versions; unset where none does. */
  filled?: readonly Filled[]
  /** How sure it is that the record is the one that was meant, where the providers were asked by a match. */
  match?: MatchFacts
  /** The paid call that this one repeats. */
  replay: Replayed | null
  /** Live keys only. */
  credits: ({ charged: number } & RemainingCredits) | null
}
