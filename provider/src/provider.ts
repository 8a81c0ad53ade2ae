import type { Company, Kind, Person } from '@vitae/contract'
import type { Alias, Identifier, MatchSignal } from './identifier.ts'

/** One request of Vitae to a provider, for one record. */
export interface ProviderAsk {
  identifier: Identifier
  /** The provider must skip its own cache if it has one, at any cost. */
  fresh: boolean
  /** The maximum age of the data in days. 0 means an ordinary fetch, unless `fresh` is set. */
  maxAgeDays: number
  /** The same for every attempt of one ask, so that providers with idempotent billing charge once. */
  idempotencyKey: string
  /**
   * Dotted paths that the record must have, for providers that accept such a list. The service checks all of them
   * afterwards.
   */
  require?: readonly string[]
  /** Providers to leave out, because they do not supply the required fields. */
  skip?: ReadonlySet<string>
  signal: AbortSignal
}

export interface WireRequest {
  method: 'GET' | 'POST'
  url: URL
  headers: Record<string, string>
  body?: string
}

/** An unmodified HTTP response. */
export interface RawAnswer {
  status: number
  /** Names in lower case. */
  headers: Record<string, string>
  body: Uint8Array
  /** When the last byte arrived, milliseconds since the epoch. */
  receivedAt: number
}

/** One HTTP exchange, with timeouts, size limit, retries and circuit breaker applied. Throws `ProviderFault`. */
export type Send = (request: WireRequest, signal: AbortSignal) => Promise<RawAnswer>

/** A provider's checked answer. Both outcomes are answers; an outage is a `ProviderFault` instead. */
export interface Verdict {
  outcome: 'found' | 'not_found'
  answer: RawAnswer
  /** The cost of the call in the provider's own credits, as the provider reports it. */
  cost: number | null
  /** When the provider last saw the data, if a header says so. It takes precedence over the projection's value. */
  sourceUpdatedAt?: number | null
  /** When the data was fetched, if the provider reports that it was earlier than this answer. */
  fetchedAt?: number
  /** The origin of the data, if the provider reports that it is not live. */
  notLive?: NotLive
  /** Present if the ask was a match by facts about a person or company. */
  match?: MatchFacts
  /** Not found because several records match equally well. */
  isAmbiguous?: true
}

/** How likely the record is the requested one. */
export interface MatchFacts {
  /** 0 to 1, converted from the provider's own scale. */
  likelihood: number
  /** The inputs that agreed, by their names. */
  matchedOn: readonly MatchSignal[]
}

/** Data that another service answered from its store, or from a copy past its maximum age. */
export type NotLive = 'store' | 'stale_fallback'

/**
 * The subject of a payload. The key is `member_urn` or `company_id`. It is derived if the provider knows no durable id.
 */
export interface Identity {
  key: string
  derived: boolean
  aliases: Alias[]
}

export interface Projection<R = Person | Company> {
  record: R
  identity: Identity
  /** When the provider last saw the data. */
  sourceUpdatedAt: number | null
  /**
   * The units of the record that the payload does not state: `experience`, `honors`, `summary`. Only a unit that is
   * stated and empty means "none". Without this list, every supplied unit counts as stated.
   */
  unsaid?: readonly string[]
  /** Paths of fields that could not be read, for a payload in Vitae's own format. */
  unread?: readonly string[]
}

/** Dotted paths of the record fields a provider can fill, per kind: `headline`, `contact_info.birth_date`, `experience.company_id`. */
export type Supplies = Record<Kind, ReadonlySet<string>>

/** A source of records. Its folder under `providers/` holds all code specific to it. */
export interface Provider {
  readonly name: string
  readonly supplies: Supplies
  /** Increase it when a mapping changes, so that `records reproject` finds the copies to map again. */
  readonly projectionVersion: number
  /** True if the provider accepts a `member_urn` or a derived `company_id`. */
  readonly asksByKey?: boolean
  /** The accepted types of identifier, if the provider does not accept every ordinary one. */
  readonly asks?: Record<Kind, readonly Identifier['type'][]>
  /**
   * Payload paths that must not be stored, such as other people or sensitive data. They are removed before archiving.
   */
  readonly neverStore?: readonly string[]
  /** True if the provider finds a company by the domain of its site. */
  readonly asksByDomain?: boolean
  /** The sets of inputs that the provider can match by. All inputs of a set are required. */
  readonly matchesBy?: Partial<Record<Kind, readonly (readonly MatchSignal[])[]>>
  /**
   * True if the provider knows people only by slug. Its "not found" for an opaque member id proves nothing, and would
   * withdraw a stored copy from another provider.
   */
  readonly refusesOpaqueIds?: boolean
  /** True if the provider receives the required paths. Its "not found" may then mean a record without them. */
  readonly isToldRequired?: boolean
  /** Asks for one record. Throws `ProviderFault` if there is no answer. */
  ask(ask: ProviderAsk, send: Send): Promise<Verdict>
  /** Maps a raw payload to a record. Pure. Throws `ProviderFault('invalid')` if the payload cannot be mapped. */
  project(kind: Kind, payload: Uint8Array): Projection
}

/** A provider's base URL and key; `variables` holds further settings that a provider file declares. */
export type ProviderSettings = { url: string; key: string; variables?: Readonly<Record<string, string>> }
