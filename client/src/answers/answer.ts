import type { CompanyMatches, DataSource } from '../contract.generated.ts'

/** The state of the key's rate limit. Null if a proxy dropped the header. */
export type RateLimit = { limit: number | null; remaining: number | null; resetSeconds: number | null }

/** Credits in whole numbers. All three are null with a test key, which has no credits. */
export type Credits = {
  /** The cost of this answer: 0 on a replay, null on an error and with a test key. */
  charged: number | null
  /** The remaining credits of the key's environment. */
  remaining: number | null
  /** The remaining credits of the key's lowest ceiling, if it has one. */
  ceilingRemaining: number | null
}

/** The companies of a domain, and the cost of the search. */
export type ResolvedCompanies = CompanyMatches & { credits: Credits; requestId: string | null; replayed: boolean }

/** Fields of a record that come from a different fetch than the one at `fetchedAt`. */
export type FilledFrom = {
  provider: string
  /** Paths such as `contact_info.email_address`. */
  fields: string[]
  ageSeconds: number
}

/** One record with everything the service reports about it. */
export type Answer<Found> = {
  record: Found
  /** `live`, `store`, or `stale_fallback` if the provider failed and the service used an older copy. */
  source: DataSource
  /** When the service received the data. */
  fetchedAt: Date
  ageSeconds: number
  /** The fields that other fetches filled in; empty if the whole record comes from one fetch. */
  filledFrom: FilledFrom[]
  /** When the provider itself last saw the data, if it reports that. */
  sourceUpdatedAt: Date | null
  /** True if the record holds little more than an identity. Missing parts then mean nothing. */
  thin: boolean
  rateLimit: RateLimit
  credits: Credits
  requestId: string | null
  /**
   * Parameters that the service ignored because it does not know them; empty unless a proxy or a wrapper added some.
   */
  ignoredParameters: string[]
  /** True if this is the repeated answer of a call that was already answered and billed. */
  replayed: boolean
}

/** The record of a match, and its likelihood. */
export type MatchedAnswer<Found> = Answer<Found> & {
  /** 0 to 1; null if a proxy dropped the header. */
  likelihood: number | null
  /** The inputs that agreed, such as `email`. */
  matchedOn: string[]
}
