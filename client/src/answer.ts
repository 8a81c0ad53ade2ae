import type { CompanyMatches, DataSource } from './contract.generated.ts'

/** The state of the key's rate limit. Null where a proxy in between dropped the header. */
export type RateLimit = { limit: number | null; remaining: number | null; resetSeconds: number | null }

/** Credits in whole numbers. Test keys have none, so all three are null with them. */
export type Credits = {
  /** What this answer cost: 0 on a replay, null on an error and with a test key. */
  charged: number | null
  /** What the environment of the key has left. */
  remaining: number | null
  /** What is left of the key's ceilings, the least of them, where it has one. */
  ceilingRemaining: number | null
}

/** The companies of a domain, and what that cost. */
export type ResolvedCompanies = CompanyMatches & { credits: Credits; requestId: string | null; replayed: boolean }

/** Fields of a record that come from another fetch than the one that `fetchedAt` describes. */
export type FilledFrom = {
  provider: string
  /** Paths such as `contact_info.email_address`. */
  fields: string[]
  ageSeconds: number
}

/** One record, and everything the service says about it. */
export type Answer<Found> = {
  record: Found
  /** `live`, `store`, or `stale_fallback` where the provider was out and an older copy had to do. */
  source: DataSource
  /** When the service received the data. */
  fetchedAt: Date
  ageSeconds: number
  /** The fields that other fetches filled in; empty where all of the record comes from one fetch. */
  filledFrom: FilledFrom[]
  /** When the provider itself last saw the data, where it says so. */
  sourceUpdatedAt: Date | null
  /** True where the record holds little more than an identity: missing parts then mean nothing. */
  thin: boolean
  rateLimit: RateLimit
  credits: Credits
  requestId: string | null
  /** Parameters that the service does not know and ignored; empty unless a proxy or a wrapper added some. */
  ignoredParameters: string[]
  /** True where this answers a retry of a call that was answered, and billed, before. */
  replayed: boolean
}

/** The record of a match, and how sure it is. */
export type MatchedAnswer<Found> = Answer<Found> & {
  /** 0 to 1; null where a proxy in between dropped the header. */
  likelihood: number | null
  /** What agreed, such as `email`. */
  matchedOn: string[]
}
