import type { Company, Kind, Person } from '@vitae/contract'
import type { Alias, Identifier, MatchSignal } from './identifier.ts'

/** What Vitae asks of a provider for one record. */
export interface ProviderAsk {
  identifier: Identifier
  /** The provider's own cache must be skipped where it has one, whatever that costs. */
  fresh: boolean
  /** The oldest data that is good enough, in days. 0 wants a fetch of the ordinary kind, unless `fresh` is set. */
  maxAgeDays: number
  /** The same for every attempt of one ask, for providers that bill idempotently. */
  idempotencyKey: string
  /** Dotted paths that the record must have, for providers that can be told; all are checked afterwards. */
  require?: readonly string[]
  /** Providers that are left out, because they lack what is required. */
  skip?: ReadonlySet<string>
  signal: AbortSignal
}

export interface WireRequest {
  method: 'GET' | 'POST'
  url: URL
  headers: Record<string, string>
  body?: string
}

/** An HTTP answer as it came, untouched. */
export interface RawAnswer {
  status: number
  /** Names in lower case, whatever the case in which they came. */
  headers: Record<string, string>
  body: Uint8Array
  /** When the last byte arrived, milliseconds since the epoch. */
  receivedAt: number
}

/** One exchange with all manners applied (timeouts, size limit, retries, breaker). Throws `ProviderFault`. */
export type Send = (request: WireRequest, signal: AbortSignal) => Promise<RawAnswer>

/** A provider's answer, checked: both are answers, neither is an outage. */
export interface Verdict {
  outcome: 'found' | 'not_found'
  answer: RawAnswer
  /** What the provider says the call cost, in its own credits. */
  cost: number | null
  /** When the provider itself last saw the data, where a header says so; it wins over the projection's. */
  sourceUpdatedAt?: number | null
  /** When the data was fetched, where that was before this answer and the provider says so. */
  fetchedAt?: number
  /** Where the provider took the data from, where it says that it is not live. */
  notLive?: NotLive
  /** Of an ask by what a caller holds of a person or company. */
  match?: MatchFacts
  /** Not found, because more than one record fits as well. */
  isAmbiguous?: true
}

/** How sure it is that a record is the one that was meant. */
export interface MatchFacts {
  /** 0 to 1, whatever scale the provider has. */
  likelihood: number
  /** What agreed, by the names of the input. */
  matchedOn: readonly MatchSignal[]
}

/** Data that another service answered from its store, or from a copy that is too old. */
export type NotLive = 'store' | 'stale_fallback'

/** Who a payload is about. The key is `member_urn` or `company_id`; it is derived where the provider knows no durable id. */
export interface Identity {
  key: string
  derived: boolean
  aliases: Alias[]
}

export interface Projection<R = Person | Company> {
  record: R
  identity: Identity
  /** When the provider itself last saw the data. */
  sourceUpdatedAt: number | null
  /**
   * The units of the record that the payload does not say: `experience`, `honors`, `summary`. Only what is said and empty
   * means "none". Without the list, every supplied unit counts as said.
   */
  unsaid?: readonly string[]
  /** The fields of a payload in our own shape that could not be read, by their paths. */
  unread?: readonly string[]
}

/** Dotted paths of the record fields a provider can fill, per kind: `headline`, `contact_info.birth_date`, `experience.company_id`. */
export type Supplies = Record<Kind, ReadonlySet<string>>

/** A source of records. Its folder under `providers/` holds everything that is particular to it. */
export interface Provider {
  readonly name: string
  readonly supplies: Supplies
  /** Increases when a mapping changes, so that `records reproject` knows what is worth doing again. */
  readonly projectionVersion: number
  /** True where a record can be asked for by its `member_urn`, or by a derived `company_id`. */
  readonly asksByKey?: boolean
  /** The types of identifier that it can be asked by, where it cannot be asked by every ordinary one. */
  readonly asks?: Record<Kind, readonly Identifier['type'][]>
  /** Paths of its payloads that must not be stored: other people, sensitive data. They are removed before archiving. */
  readonly neverStore?: readonly string[]
  /** True where a company can be asked for by the domain of its site. */
  readonly asksByDomain?: boolean
  /** The signals that it can be asked by, besides an identifier; each inner list has to be given whole. */
  readonly matchesBy?: Partial<Record<Kind, readonly (readonly MatchSignal[])[]>>
  /**
   * True where it knows people by slug alone. Its "not found" for an opaque member id would be no answer to the question, and
   * would withdraw a stored copy that another provider brought.
   */
  readonly refusesOpaqueIds?: boolean
  /** True where it is told what is required: its "not found" may then mean a record without that. */
  readonly isToldRequired?: boolean
  /** Asks for one record. Throws `ProviderFault` for everything that is not an answer. */
  ask(ask: ProviderAsk, send: Send): Promise<Verdict>
  /** Pure: the raw payload as our record. Throws `ProviderFault('invalid')` when it cannot be mapped. */
  project(kind: Kind, payload: Uint8Array): Projection
}

/** Where a provider is reached and with which key; `variables` are other settings of its own that a file declares. */
export type ProviderSettings = { url: string; key: string; variables?: Readonly<Record<string, string>> }
