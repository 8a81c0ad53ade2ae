import type { HeaderReader } from '../answers/answer-headers.ts'
import type { Company, Person } from '../contract.generated.ts'
import type { Hooks } from './hooks.ts'
import type { Timing } from './timing.ts'

/** The part of `fetch` that the client uses, so that any implementation or wrapper fits. */
export type Fetch = (
  url: string,
  init: {
    method: 'GET' | 'POST' | 'DELETE'
    headers: { [name: string]: string }
    redirect: 'manual'
    signal: AbortSignal
    body?: string
  },
) => Promise<{
  status: number
  headers: HeaderReader
  text(): Promise<string>
  /** Used to stream batch results; without it they are read as one text. */
  body?: AsyncIterable<Uint8Array> | null
}>

export type ClientOptions = Hooks & {
  /**
   * A key of the service, `vt_test_...` or `vt_live_...`. Default: `VITAE_API_KEY` of the environment. Keep it on
   * servers.
   */
  apiKey?: string | undefined
  /** The URL of the service, such as `http://127.0.0.1:8080`. Default: `VITAE_URL` of the environment. */
  baseUrl?: string | URL | undefined
  /** The longest time of one call, with its retries and waits. Default: 90 seconds. */
  timeoutMs?: number
  /** The maximum number of retries of a call. Default: 3; 0 disables retries. */
  maxRetries?: number
  /** The purpose of the calls, such as `spring-campaign`: 1 to 64 of A-Z, a-z, 0-9, dot, hyphen and underscore. */
  spendTag?: string
  /**
   * The maximum that all calls of this client may spend together. A call that could exceed it is refused before it is
   * sent.
   */
  maxCredits?: number
  /** Another `fetch`, for your own proxy or agent. */
  fetch?: Fetch
  /** Another clock, random source and sleep, so that tests need not wait. */
  timing?: Partial<Timing>
}

/** The options of both lookups. */
export type LookupOptions = {
  /** The maximum age of a stored copy in days. 0 requests a live fetch. */
  maxAgeDays?: number
  /** Fetch now, bypassing the store and the provider's cache. */
  bypassCache?: boolean
  /** Answer only from the store, without a call to the provider. Fails with `not_stored`. */
  onlyStored?: boolean
  /** Fail instead of returning a `stale_fallback`. */
  refuseStale?: boolean
  /** Dotted paths that the record must have, such as `experience.company_id`. Fails with `required_fields_missing`, at no cost. */
  require?: readonly string[]
  /** 1 to 255 visible ASCII characters. Default: a random UUID. */
  idempotencyKey?: string
  /** Like the client's `spendTag`, for this call. */
  spendTag?: string
  signal?: AbortSignal
  /** Like the client's `timeoutMs`, for this call. */
  timeoutMs?: number
}

/** The options of a call that looks up no record. */
export type CallOptions = Pick<LookupOptions, 'signal' | 'timeoutMs'>

/** The period to count, and the grouping. */
export type UsageOptions = CallOptions & {
  /** A day, a time, or a `Date`. Default: 30 days ago. */
  from?: Date | string
  /** Default: now. */
  to?: Date | string
  /** Default: `['day']`. */
  by?: readonly ('day' | 'tag' | 'endpoint')[]
}

/** The month of the statement. */
export type StatementOptions = CallOptions & {
  /** A UTC month, `2026-10`. Default: the current month. */
  month?: string
}

/** The page and kind of key changes. */
export type RecordChangesOptions = CallOptions & {
  /** The `next` of the previous page. */
  after?: string
  kind?: 'people' | 'companies'
  /** Default: 100. */
  limit?: number
}

/** The page of a record's versions. */
export type HistoryOptions = CallOptions & {
  /** The `next` of the previous page. */
  before?: number
  /** The maximum number of versions. Default: 20. */
  limit?: number
}

/** The options of a search by domain. */
export type ResolveOptions = Pick<LookupOptions, 'signal' | 'timeoutMs' | 'idempotencyKey' | 'spendTag'>

/** The record that you expect. A record that clearly contradicts it fails with `identity_mismatch`, at no cost. */
export type ExpectedCompany = {
  /** For a person, a current or former employer. */
  companyName?: string
  companyDomain?: string
  /** ISO 3166-1 alpha-2. */
  countryCode?: string
}

/** Like `ExpectedCompany`, with the names of a person. */
export type ExpectedPerson = ExpectedCompany & { firstName?: string; lastName?: string }

/** The facts that you know of a person: an e-mail address, a phone number, a profile, or a name with a company. */
export type PersonMatch = {
  email?: string
  phone?: string
  firstName?: string
  lastName?: string
  name?: string
  company?: string
  companyDomain?: string
  companyId?: string
  location?: string
  profileId?: string
}

/** The facts that you know of a company. */
export type CompanyMatch = { name?: string; domain?: string; country?: string; companyId?: string }

/** As in the lookups. `minLikelihood` is the lowest likelihood that counts as a match; default: 0.8. */
export type MatchPersonOptions = Omit<ProfileOptions, 'expect'> & { minLikelihood?: number }
export type MatchCompanyOptions = Omit<CompanyOptions, 'expect'> & { minLikelihood?: number }

export type CompanyOptions = LookupOptions & {
  expect?: ExpectedCompany
  /** The only fields to return, besides `company_id`. The price is the same. */
  fields?: readonly (keyof Company)[]
}

export type ProfileOptions = LookupOptions & {
  expect?: ExpectedPerson
  /** The only fields to return, besides `member_urn`. The price is the same. */
  fields?: readonly (keyof Person)[]
  /** Fill `contact_info`. */
  includeContactInfo?: boolean
  /** Fill `network_info`. */
  includeNetworkInfo?: boolean
  /** Fill `verifications`. */
  getVerificationDetails?: boolean
}
