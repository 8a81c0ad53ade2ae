import type { HeaderReader } from './answer-headers.ts'
import type { Company, Person } from './contract.generated.ts'
import type { Hooks } from './hooks.ts'
import type { Timing } from './timing.ts'

/** The part of `fetch` that is used, so that any implementation or wrapper of it fits. */
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
  /** Read where results of a batch are streamed; without it they are read as one text. */
  body?: AsyncIterable<Uint8Array> | null
}>

export type ClientOptions = Hooks & {
  /** A key of the service, `vt_test_...` or `vt_live_...`; `VITAE_API_KEY` of the environment unless given. Keep it on servers. */
  apiKey?: string | undefined
  /** Where the service stands, such as `http://127.0.0.1:8080`; `VITAE_URL` of the environment unless given. */
  baseUrl?: string | URL | undefined
  /** The longest one call may take, its retries and waits included. 90 seconds unless given. */
  timeoutMs?: number
  /** How often a failed attempt is made again. 3 unless given, 0 for never. */
  maxRetries?: number
  /** What the calls are for, such as `spring-campaign`: 1 to 64 of A-Z, a-z, 0-9, dot, hyphen and underscore. */
  spendTag?: string
  /** The most that all calls of this client may spend together: a call that could pass it is refused before it is made. */
  maxCredits?: number
  /** Another `fetch`, for a proxy or an agent of your own. */
  fetch?: Fetch
  /** Another clock, dice and way to wait: tests need not sleep. */
  timing?: Partial<Timing>
}

/** What both lookups take beside the identifier. */
export type LookupOptions = {
  /** The oldest stored copy that is good enough, in days. 0 asks for a live fetch. */
  maxAgeDays?: number
  /** Fetch now, past the store and past the cache of the provider. */
  bypassCache?: boolean
  /** Answer from the store or not at all: no call to the provider is made. Fails with `not_stored`. */
  onlyStored?: boolean
  /** Rather fail than get a `stale_fallback`. */
  refuseStale?: boolean
  /** Dotted paths that the record must have, such as `experience.company_id`. Fails with `required_fields_missing`, at no cost. */
  require?: readonly string[]
  /** 1 to 255 visible ASCII characters. A random UUID unless given. */
  idempotencyKey?: string
  /** As the client's `spendTag`, for this call. */
  spendTag?: string
  signal?: AbortSignal
  /** As the client's `timeoutMs`, for this call. */
  timeoutMs?: number
}

/** What a call takes that is about no record. */
export type CallOptions = Pick<LookupOptions, 'signal' | 'timeoutMs'>

/** What is counted, and by what. */
export type UsageOptions = CallOptions & {
  /** A day, a time, or a `Date`; 30 days ago unless given. */
  from?: Date | string
  /** Now unless given. */
  to?: Date | string
  /** `['day']` unless given. */
  by?: readonly ('day' | 'tag' | 'endpoint')[]
}

/** Which month. */
export type StatementOptions = CallOptions & {
  /** A UTC month, `2026-10`; the present one unless given. */
  month?: string
}

/** Which changes of keys. */
export type RecordChangesOptions = CallOptions & {
  /** The `next` of the page before. */
  after?: string
  kind?: 'people' | 'companies'
  /** 100 unless given. */
  limit?: number
}

/** Which versions of a record. */
export type HistoryOptions = CallOptions & {
  /** The `next` of the page before. */
  before?: number
  /** At most so many versions; 20 unless given. */
  limit?: number
}

/** What a search for the company of a domain takes. */
export type ResolveOptions = Pick<LookupOptions, 'signal' | 'timeoutMs' | 'idempotencyKey' | 'spendTag'>

/** Whom you mean. A record that clearly contradicts it is no answer: `identity_mismatch`, at no cost. */
export type ExpectedCompany = {
  /** Of a person an employer, present or former. */
  companyName?: string
  companyDomain?: string
  /** ISO 3166-1 alpha-2. */
  countryCode?: string
}

/** As `ExpectedCompany`, with the names of a person. */
export type ExpectedPerson = ExpectedCompany & { firstName?: string; lastName?: string }

/** What you hold of a person: an e-mail address, a phone number, a profile, or a name with a company. */
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

/** What you hold of a company. */
export type CompanyMatch = { name?: string; domain?: string; country?: string; companyId?: string }

/** As at the lookups; below `minLikelihood`, 0.8 unless given, nobody matches. */
export type MatchPersonOptions = Omit<ProfileOptions, 'expect'> & { minLikelihood?: number }
export type MatchCompanyOptions = Omit<CompanyOptions, 'expect'> & { minLikelihood?: number }

export type CompanyOptions = LookupOptions & {
  expect?: ExpectedCompany
  /** The only fields that the record shall have, beside `company_id`. The price is the same. */
  fields?: readonly (keyof Company)[]
}

export type ProfileOptions = LookupOptions & {
  expect?: ExpectedPerson
  /** The only fields that the record shall have, beside `member_urn`. The price is the same. */
  fields?: readonly (keyof Person)[]
  /** Fill `contact_info`. */
  includeContactInfo?: boolean
  /** Fill `network_info`. */
  includeNetworkInfo?: boolean
  /** Fill `verifications`. */
  getVerificationDetails?: boolean
}
