// Generated from the contract by scripts/generate-client-types.ts. Do not edit.

/** One person. */
export interface Person {
  /** The durable key of the person: the first key that was stored for this person. It never changes. */
  member_urn: string
  /** Another URN of the person: the URN of the platform if it is known, otherwise a derived URN. */
  entity_urn: string
  /** The vanity slug. Its owner can change it. */
  public_identifier: string | null
  first_name: string | null
  last_name: string | null
  headline: string | null
  summary: string | null
  industry: string | null
  profile_photo_url: string | null
  background_photo_url: string | null
  profile_url: string | null
  websites: string[]
  is_memorialized: boolean
  location: PersonLocation
  network_info: NetworkInfo | null
  badges: Badges
  verifications: Verifications | null
  contact_info: ContactInfo | null
  experience: ExperienceGroup[]
  education: Education[]
  skills: string[]
  certifications: SectionItem[]
  courses: SectionItem[]
  honors: SectionItem[]
  languages: Language[]
  organizations: SectionItem[]
  patents: SectionItem[]
  projects: SectionItem[]
  publications: SectionItem[]
  test_scores: SectionItem[]
  volunteer_experiences: SectionItem[]
}

export interface PersonLocation {
  name: string | null
  city: string | null
  country: string | null
  /** ISO 3166-1 alpha-2, upper case. */
  country_code: string | null
}

export interface NetworkInfo {
  followers_count: number | null
  connections_count: number | null
  custom_action: CustomAction | null
}

export interface CustomAction {
  url: string | null
  label: string | null
  control_name: string | null
  open_externally: boolean
}

export interface Badges {
  premium: boolean
  creator: boolean
  influencer: boolean
  top_voice: boolean
  open_to_work: boolean
  is_hiring: boolean
}

export interface Verifications {
  is_verified: boolean
  /** The period as display text, such as a month and a year. */
  joined_date: string | null
  sections: {
    title: string
    items: unknown[]
  }[]
}

export interface ContactInfo {
  email_address: string | null
  websites: {
    url: string | null
    type: string | null
    label: string | null
  }[]
  twitter_handles: string[]
  phone_numbers: string[]
  birth_date: PersonDate | null
  address: string | null
}

/** A date, as precise as its source, with its partial ISO 8601 form. */
export interface PersonDate {
  year: number
  month: number | null
  day: number | null
  /** Partial ISO 8601: `2019`, `2019-03` or `2019-03-07`. */
  iso: string
}

export interface ExperienceGroup {
  company_name: string | null
  company_id: string | null
  company_url: string | null
  company_logo_url: string | null
  company_industry: string | null
  company_employee_count_range: HeadcountRange
  /** The workplace type: `remote`, `hybrid` or `onsite`, if the source has it. */
  workplace_type: string | null
  date_range: DateRange | null
  positions: Position[]
}

/** A range of headcounts. A `start` with a null `end` is the highest range, which has no upper limit. */
export interface HeadcountRange {
  start: number | null
  end: number | null
}

/** A period. If `end` is null, the period has not ended. */
export interface DateRange {
  start: PersonDate | null
  end: PersonDate | null
}

export interface Position {
  title: string | null
  description: string | null
  location_name: string | null
  employment_type: string | null
  date_range: DateRange | null
}

export interface Education {
  school_name: string | null
  school_id: string | null
  school_url: string | null
  school_logo_url: string | null
  company_id: string | null
  degree: string | null
  field_of_study: string | null
  grade: string | null
  activities: string | null
  description: string | null
  date_range: DateRange | null
}

export interface SectionItem {
  name: string | null
  title: string | null
  description: string | null
  url: string | null
  image_url: string | null
  company: string | null
  company_id: string | null
  position_held: string | null
  date_range: DateRange | null
}

export interface Language {
  name: string | null
  title: string | null
  description: string | null
  url: string | null
  image_url: string | null
  company: string | null
  company_id: string | null
  position_held: string | null
  date_range: DateRange | null
  proficiency: string | null
}

/** One company. */
export interface Company {
  /** The durable key of a company. */
  company_id: string | null
  /** The slug. Its owner can change it. */
  public_identifier: string | null
  company_name: string | null
  tagline: string | null
  description: string | null
  company_type: CompanyType | null
  locations: {
    headquarter: CompanyLocation | null
    all_locations: CompanyLocation[] | null
  } | null
  industries: Industry[] | null
  specialities: string[] | null
  staff_info: {
    staff_count: number | null
    staff_range: HeadcountRange | null
  } | null
  followers_count: number | null
  founded_on: PartialDate | null
  platform_url: string | null
  company_url: string | null
  logo_url: string | null
  background_photo_url: string | null
  cover_image_url: string | null
  call_to_action: {
    text: string | null
    url: string | null
  } | null
  phone_number: string | null
  auto_generated: boolean | null
  claimable: boolean | null
  is_paid: boolean | null
  is_showcase: boolean | null
  funding_data: {
    num_of_funding_rounds: number | null
    last_funding_round: FundingRound | null
  } | null
  showcase_pages: CompanySummary[] | null
  affiliated_companies: CompanySummary[] | null
}

export interface CompanyType {
  type_code: string | null
  type_name: string | null
}

export interface CompanyLocation {
  /** ISO 3166-1 alpha-2, lower case. */
  country: string | null
  geographic_area: string | null
  city: string | null
  postal_code: string | null
  address_line1: string | null
  is_headquarter: boolean | null
}

export interface Industry {
  id: string | null
  name: string | null
}

/** A date, as precise as its source. */
export interface PartialDate {
  year: number
  month: number | null
  day: number | null
}

export interface FundingRound {
  funding_type: string | null
  money_raised: Money | null
  announced_on: PartialDate | null
  lead_investors: Investor[] | null
  num_of_other_investors: number | null
  round_url: string | null
}

export interface Money {
  /** The amount in whole units of the currency. It may exceed 32 bits. */
  amount: number | null
  /** ISO 4217, lower case. */
  currency: string | null
}

export interface Investor {
  name: string | null
  logo: string | null
  investor_url: string | null
}

export interface CompanySummary {
  company_name: string | null
  public_identifier: string | null
  entity_urn: string | null
  company_url: string | null
  description: string | null
  logo_url: string | null
  followers_count: number | null
  industries: Industry[] | null
  is_paid: boolean | null
  is_showcase: boolean | null
}

/** RFC 9457 problem. */
export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  code: string
  request_id: string
  /** The command that helps, as a sentence. */
  hint?: string
  errors?: {
    parameter: string
    detail: string
  }[]
}

/** What a lookup would do if it were made now. */
export interface Preflight {
  /** Where the record would come from; null if the call would return no record. */
  source: 'live' | 'store' | 'stale_fallback' | null
  age_seconds: number | null
  /** The credits that the call is expected to charge if it returns a record from this source. A part that is empty in the stored copy is expected to stay empty and adds nothing. */
  price: number
  /** The maximum number of credits that the call can charge. While the call asks a provider, it holds this number of credits. */
  max_price: number
  /** The code of the failure that the call would return; null if it would succeed. */
  refused: string | null
  asks_provider: boolean
}

/** The companies that have their site at a domain, the most likely company first. */
export interface CompanyMatches {
  /** The registrable domain that was searched. */
  domain: string
  source: 'live' | 'store' | 'stale_fallback'
  candidates: CompanyCandidate[]
}

export interface CompanyCandidate {
  company_id: string | null
  public_identifier: string | null
  name: string | null
  /** How the company was found: the company’s own site has exactly this host, the company’s own site has this domain, or a provider found it. */
  matched: 'host' | 'domain' | 'provider'
}

/** The versions of a record that your environment received, and the changes between them. */
export interface RecordHistory {
  kind: 'people' | 'companies'
  /** The `member_urn` or `company_id` of the record. */
  id: string
  /** The versions, newest first. */
  versions: HistoryVersion[]
  /** Send it as `before` to get older versions; null on the last page. */
  next: number | null
}

/** A version of the record that your environment received. */
export interface HistoryVersion {
  version: number
  provider: string
  fetched_at: string
  source_updated_at: string | null
  thin: boolean
  /** The changes since the previous version from the same provider. Each change is listed once, as in events. Changes of optional parts are left out. The list is empty for the oldest version. */
  changes: EventChange[]
}

/** One difference between two versions. The path names an element of a list by its identifying value, not by its position. */
export interface EventChange {
  kind: string
  path: string
  before: unknown
  after: unknown
}

/** Which provider supplied which unit of a record, and when. */
export interface RecordProvenance {
  kind: 'people' | 'companies'
  /** The `member_urn` or `company_id` of the record. */
  id: string
  /** Every unit of the record that has a value and that the key may see. */
  units: {
    /** The path of a field or section, such as `contact_info.email_address`. */
    unit: string
    provider: string
    /** The time at which this unit was fetched. */
    fetched_at: string
    /** True if the unit comes from another fetch than the rest of the record. */
    filled: boolean
  }[]
}

/** What a key may do, what it may spend, and what calls cost. */
export interface Account {
  project: string
  environment: string
  mode: 'live' | 'test'
  key: {
    id: string
    label: string | null
    expires_at: string | null
    /** The time at which this key stops working because it was rotated; null if it was not rotated. */
    revoked_at: string | null
    endpoints: ('people' | 'companies')[]
    /** The optional parts of a person record that the key may ask for. */
    parts: ('network' | 'verifications' | 'contact')[]
    /** The networks that may use the key; null = all. */
    networks: string[] | null
  }
  /** The available credits of the environment. Null for a test key, which spends nothing. */
  credits: {
    available: number
    held: number
  } | null
  /** The spending limits of this key. Keys that it was rotated from or to share these limits. */
  ceilings: {
    daily: SpendLimit | null
    monthly: SpendLimit | null
  }
  /** The spending limit of all keys of the environment together. */
  budgets: {
    monthly: SpendLimit | null
  }
  /** The credits per answer. Null means the price of the endpoint; if the endpoints have different prices, the higher one. A test key pays nothing. */
  prices: {
    /** The version of the price book; 0 = the prices of the configuration. */
    book: number
    people: number
    companies: number
    stale: number | null
    thin: number | null
    bypass: number | null
    /** The price of finding a company by its domain. Null: 0 if the store answers, and the price of a company if a provider is asked. */
    resolve: number | null
    /** The credits that an optional part adds if the call asks for the part and the part has a value. */
    parts: {
      contact: number
      network: number
      verifications: number
    }
    /** The maximum cost of one call with any parameters. 0 for a test key. */
    highest: {
      people: number
      companies: number
      resolve: number
      match: number
    }
    /** The price of a record that a match finds. */
    match: number | null
    /** The number of days in which the environment pays for a record only once; 0 = it pays every time. */
    repeat_free_days: number
  }
  freshness: {
    default_days: number
    cap_days: number
    /** The maximum age in days of a stored copy that is served during an outage of the provider. */
    stale_max_days: number
  }
  rate_limit: {
    limit: number
    window_seconds: number
    remaining: number
    reset_seconds: number
  }
}

/** A spending limit, and what is left of it. */
export interface SpendLimit {
  limit: number
  /** The credits that are spent or held in the current period. */
  spent: number
  remaining: number
  /** The time at which the next period begins, at 00:00 UTC. */
  renews_at: string
}

/** The calls and credits of all keys of the environment. */
export interface Usage {
  from: string
  to: string
  /** The time of the count. Calls that were answered later are not counted. */
  as_of: string
  rows: UsageRow[]
  total: {
    calls: number
    credits: number
  }
}

export interface UsageRow {
  /** The UTC day, `2026-11-14`. */
  day?: string
  /** The `X-Spend-Tag` of the calls; null for calls without a tag. */
  tag?: string | null
  endpoint?: 'people' | 'companies' | null
  calls: number
  credits: number
}

/** The balances, grants, charges and corrections of an environment in one month. */
export interface Statement {
  project: string
  /** The environment of the statement; null = all environments of the project. */
  environment: string | null
  /** The UTC month, `2026-10`. A call counts in the month in which it began to hold credits. */
  month: string
  /** True until the month is closed. Until then the figures may change. */
  in_progress: boolean
  opening_balance: number
  granted: number
  /** Recurring credits that lapsed because they were not spent in their month. */
  lapsed: number
  charged: number
  /** Corrections and refunds; negative if credits were taken away. */
  corrected: number
  /** The balance at the end of the month: always `opening_balance + granted - lapsed - charged + corrected`. */
  closing_balance: number
  /** The charges, one row per price line. Their credits add up to `charged`. */
  lines: StatementLine[]
  /** The value of one credit, and the value of all charges. Null if the operator has not set a value for a credit. */
  value?: {
    currency: string
    /** An amount of money, as an exact decimal. */
    credit: string
    /** An amount of money, as an exact decimal. */
    charged: string
  }
  /** The SHA-256 digest of the closed statement, as in the audit log; null while the month is in progress. */
  digest: string | null
}

export interface StatementLine {
  /** The price book and its line or part, such as `book 0, line 3: people`. Null if the call log no longer has the calls. */
  price_line: string | null
  endpoint: 'people' | 'companies' | null
  source: 'live' | 'store' | 'stale_fallback' | null
  spend_tag: string | null
  /** The number of calls that this price line applied to. Several lines may apply to one call. */
  calls: number
  credits: number
}

/** The receipt of one call: what it cost, and why. */
export interface Receipt {
  request_id: string
  at: string
  endpoint: 'people' | 'companies'
  /** The HTTP status of the answer. */
  status: number
  source: 'live' | 'store' | 'stale_fallback' | null
  /** The credits that were held before a provider was asked. */
  held: number
  charged: number
  price: {
    /** The version of the price book; 0 = the prices of the configuration. */
    book: number
    /** The price lines that applied; empty if the call had no price. */
    lines: {
      line: string
      credits: number
    }[]
    /** The reason why the call charged less than it held. `failed`: the call failed. `replayed`: it repeated a paid call. `free_repeat`: the environment recently paid for this record. `cheaper_line`: the found record costs less than the maximum. `part_without_value`: an optional part had no value. */
    less_than_held: ('failed' | 'replayed' | 'free_repeat' | 'cheaper_line' | 'part_without_value')[]
  }
  /** The providers that were asked for this call, in order. */
  providers: {
    name: string
    outcome: string
  }[]
  /** The units of the answer that came from another fetch than the rest. Units that the key may not see are left out. */
  filled: FilledUnit[]
  /** The reason for the outcome, in a sentence: for a 402 the limit and when it renews, for a 400 the broken rule, for a 404 the providers that were asked. It never quotes the request. */
  reason: string
  spend_tag: string | null
}

/** A unit (field or section) of a record, and the fetch that it comes from. */
export interface FilledUnit {
  /** The path of a field or section, such as `contact_info.email_address`. */
  unit: string
  provider: string
  /** The time at which this unit was fetched. */
  fetched_at: string
}

export interface Watch {
  id: string
  kind: 'people' | 'companies'
  /** The watched record, in the normalized form of the `id` you sent. */
  identifier: string
  every_days: number
  note: string | null
  created_at: string
  next_due_at: string | null
  last_checked_at: string | null
  /** The time at which the data of the last refresh was fetched. */
  last_seen_at: string | null
  /** The source of the last refresh (`live`, `store`), or the code of its failure, such as `not_found`. */
  last_result: string | null
  /** The reason why the watch is paused, such as `credit_ceiling_reached`; null while the watch is active. */
  paused: string | null
}

export interface WatchList {
  watches: Watch[]
  /** Pass it as `after` to get the next page; null on the last page. */
  next: string | null
}

export interface WatchRemoved {
  id: string
  deleted: boolean
}

export interface EventFeed {
  events: VitaeEvent[]
  /** Pass it as `after` to get the events after these. */
  next: string
}

export interface VitaeEvent {
  /** The id of the event, the same in feeds and webhooks. Use it to ignore events that you already have. */
  id: string
  type:
    | 'person.job_changed'
    | 'person.promoted'
    | 'person.changed'
    | 'company.changed'
    | 'record.merged'
    | 'record.split'
    | 'record.purged'
    | 'record.erased'
    | 'credits.low'
    | 'ceiling.near'
    | 'ceiling.reached'
    | 'budget.reached'
    | 'provider.down'
    | 'provider.recovered'
    | 'provider.cost_differs'
    | 'provider.drifted'
    | 'backup.overdue'
    | 'batch.completed'
    | 'batch.paused'
    | 'batch.resumed'
    | 'batch.failed'
  at: string
  /** The project of the event. Null in events about the whole service, such as `provider.down`; `environment` is null too. */
  project: string | null
  environment: string | null
  /** The details of the event. Their shape depends on `type`. */
  data: unknown
}

export interface RecordChanges {
  changes: {
    kind: 'people' | 'companies'
    /** The `member_urn` or `company_id` that your environment received. */
    id: string
    change: 'merged' | 'split' | 'purged' | 'erased'
    /** The key that a merged record keeps, or the key of the other record of a split. */
    to: string | null
    at: string
  }[]
  /** Pass it as `after` to get the changes after these. */
  next: string
}

/** A batch that was accepted: all of its input was read. */
export interface SubmittedBatch {
  id: string
  status: 'queued' | 'running' | 'paused' | 'completed' | 'cancelled' | 'failed'
  total: number
  created_at: string
}

export interface BatchList {
  batches: Batch[]
  /** Send it as `after` to get older batches; null on the last page. */
  next: string | null
}

/** The progress of a batch. */
export interface Batch {
  id: string
  status: 'queued' | 'running' | 'paused' | 'completed' | 'cancelled' | 'failed'
  total: number
  created_at: string
  name: string | null
  kind: 'people' | 'companies'
  counts: BatchCounts
  credits_spent: number
  max_credits: number | null
  /** The estimated number of seconds until the batch ends, at its current speed. */
  seconds_left: number | null
  /** The reason why the batch is paused: a code such as `out_of_credits`. */
  pause_reason: string | null
  /** A sentence that says how to resume the paused batch. */
  resumed_by: string | null
  resumes_at: string | null
  /** The reason why the batch failed: a code such as `revoked_api_key` or `paused_too_long`. */
  error: string | null
  started_at: string | null
  ended_at: string | null
  expires_at: string | null
}

export interface BatchCounts {
  found: number
  not_found: number
  invalid: number
  failed: number
  waiting: number
}

/** The cost of a batch, computed without creating it. */
export interface BatchPreview {
  rows: number
  /** The number of different ids and different matches. Each of them is paid once. */
  distinct: number
  /** The number of rows without a usable id or match. They cost nothing. */
  invalid: number
  /** The number of `distinct` rows that the store answers without asking a provider. Matches without an id are not counted. */
  stored: number
  /** The maximum number of credits that the batch can cost: the cost if every row is found. */
  highest_credits: number
  /** The credits that this key can spend now: the credits of its environment, or what its ceilings leave if that is less. Null for a test key, which spends nothing. */
  available_credits: number | null
  /** The minimum number of seconds that the batch takes, by the speed of batches on one node. Slow providers make it longer. */
  estimated_seconds: number
}

/** The result of one row: one line of NDJSON. */
export interface BatchResultRow {
  /** The number of the row in the input, counted from 1. */
  row: number
  /** The id of the row, or the members of its match. Null if the row was unusable, and after an erasure. */
  input: string | Record<string, string> | null
  status: 'found' | 'not_found' | 'invalid' | 'failed'
  /** The code of the failure; null if the row did not fail. */
  error: string | null
  /** The reason why the row failed, with the name of the field. */
  detail: string | null
  source: 'live' | 'store' | 'stale_fallback' | null
  fetched_at: string | null
  /** The credits that this row cost. Of several equal rows, one shows the charge and the others show 0. */
  credits: number
  /** The id of the call that answered this row, as in the receipt. Equal rows have the same call. */
  request_id: string | null
  /** The likelihood of the match. Only for a row that is a match. */
  likelihood: number | null
  /** The members of the match that agreed with the record. Only for a row that is a match. */
  matched_on: string[] | null
  /** The other columns of the row in the submitted file, or the other members of its object. Null if it had no others. */
  columns: Record<string, unknown> | null
  /** The record, with only the requested `fields`, or the values of the requested `paths`. */
  record: unknown
}

/** Where the data of an answer came from. */
export type DataSource = 'live' | 'store' | 'stale_fallback'

/** Every way a call can fail, as the service names it. */
export const failures = {
  missing_api_key: { status: 401, title: 'The ApiKey header is missing', retryable: false },
  invalid_api_key: { status: 401, title: 'The API key is not valid', retryable: false },
  revoked_api_key: { status: 401, title: 'The API key was revoked', retryable: false },
  expired_api_key: { status: 401, title: 'The API key has expired', retryable: false },
  credit_ceiling_reached: {
    status: 402,
    title: "The key's credit ceiling of the day or month is reached",
    retryable: false,
  },
  out_of_credits: {
    status: 402,
    title: 'The environment has no credits left, or its monthly budget is spent',
    retryable: false,
  },
  project_suspended: { status: 403, title: 'The project is suspended', retryable: false },
  billing_blocked: { status: 403, title: 'Billing of the project is blocked', retryable: false },
  endpoint_not_allowed: { status: 403, title: 'The key may not use this endpoint', retryable: false },
  part_not_allowed: { status: 403, title: 'The key may not ask for this part of a record', retryable: false },
  address_not_allowed: { status: 403, title: 'The key may not be used from this address', retryable: false },
  rate_limit_exceeded: { status: 429, title: 'Too many calls', retryable: true },
  upstream_allowance_exceeded: { status: 429, title: 'Too many lookups of unknown records', retryable: true },
  invalid_request: { status: 400, title: 'The request is not valid', retryable: false },
  not_found: { status: 404, title: 'No such record', retryable: false },
  required_fields_missing: { status: 404, title: 'No provider has what the call requires', retryable: false },
  no_match: { status: 404, title: 'Nobody matches with enough certainty', retryable: false },
  ambiguous_match: { status: 404, title: 'More than one record matches', retryable: false },
  identity_mismatch: { status: 404, title: 'The record contradicts what the call expected', retryable: false },
  route_not_found: { status: 404, title: 'No such route', retryable: false },
  method_not_allowed: { status: 405, title: 'Method not allowed', retryable: false },
  request_in_progress: { status: 409, title: 'A call with this Idempotency-Key is still running', retryable: true },
  too_many_batches: { status: 409, title: 'The environment has too many unfinished batches', retryable: false },
  body_too_large: { status: 413, title: 'The request body is too large', retryable: false },
  uri_too_long: { status: 414, title: 'The URL is too long', retryable: false },
  unsupported_media_type: {
    status: 415,
    title: 'The content type of the request body is not supported',
    retryable: false,
  },
  idempotency_key_reused: { status: 422, title: 'The Idempotency-Key was used for another request', retryable: false },
  headers_too_large: { status: 431, title: 'The request headers are too large', retryable: false },
  client_closed_request: {
    status: 499,
    title: 'The caller closed the connection before the record arrived',
    retryable: true,
  },
  internal_error: { status: 500, title: 'Internal error', retryable: true },
  upstream_invalid: { status: 502, title: 'The data provider returned an unusable answer', retryable: true },
  upstream_unavailable: { status: 503, title: 'The data provider cannot be used now', retryable: true },
  overloaded: { status: 503, title: 'The service is overloaded', retryable: true },
  store_unavailable: { status: 503, title: 'The store cannot be reached', retryable: true },
  upstream_timeout: { status: 504, title: 'The data provider did not answer in time', retryable: true },
  not_stored: { status: 504, title: 'The store has no copy that satisfies the request', retryable: false },
} as const

export type FailureCode = keyof typeof failures
