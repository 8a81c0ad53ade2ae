// Generated from the contract by scripts/generate-client-types.ts. Do not edit.

/** One person. */
export interface Person {
  /** The durable key of a person: the first one that was stored. It never changes. */
  member_urn: string
  /** Another URN of the person: the platform's if it is known, otherwise a derived one. */
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
  /** Text for people to read, such as a month and a year. */
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
  /** `remote`, `hybrid` or `onsite`, if the source has it. */
  workplace_type: string | null
  date_range: DateRange | null
  positions: Position[]
}

/** Headcount bracket. A null `end` beside a `start` is the open-ended top bracket. */
export interface HeadcountRange {
  start: number | null
  end: number | null
}

/** A period. A null `end` means that it has not ended. */
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
  /** Whole units of the currency; may exceed 32 bits. */
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
  errors?: {
    parameter: string
    detail: string
  }[]
}

/** What a lookup would do if it were made now. */
export interface Preflight {
  /** Where the record would come from; null = there would be none. */
  source: 'live' | 'store' | 'stale_fallback' | null
  age_seconds: number | null
  /** The expected charge if the call ends in 200 with this source. A part that is empty in the stored copy is not priced. */
  price: number
  /** The most that the call can charge. A call that asks a provider holds this many credits meanwhile. */
  max_price: number
  /** The code with which the call would fail. */
  refused: string | null
  asks_provider: boolean
}

/** The companies that have their site at a domain, the likeliest first. */
export interface CompanyMatches {
  /** The registrable domain that was looked for. */
  domain: string
  source: 'live' | 'store' | 'stale_fallback'
  candidates: CompanyCandidate[]
}

export interface CompanyCandidate {
  company_id: string | null
  public_identifier: string | null
  name: string | null
  /** How the company was found: by its own site at this host, by its own site at this domain, or by a provider. */
  matched: 'host' | 'domain' | 'provider'
}

/** How a record changed, in the versions that the environment paid for. */
export interface RecordHistory {
  kind: 'people' | 'companies'
  /** The `member_urn` or `company_id`. */
  id: string
  /** Newest first. */
  versions: HistoryVersion[]
  /** Give it as `before` for older versions; null = no more. */
  next: number | null
}

/** A version of the record that the environment was answered with. */
export interface HistoryVersion {
  version: number
  provider: string
  fetched_at: string
  source_updated_at: string | null
  thin: boolean
  /** The changes since the previous version of the same provider. As with events, each change is reported once. Changes of optional parts are left out. Empty for the oldest version. */
  changes: EventChange[]
}

/** One difference between two versions. Elements of lists are named in the path by what identifies them. */
export interface EventChange {
  kind: string
  path: string
  before: unknown
  after: unknown
}

/** Which provider said which unit of a record, and when. */
export interface RecordProvenance {
  kind: 'people' | 'companies'
  /** The `member_urn` or `company_id`. */
  id: string
  /** Every unit that has a value and that the key may see. */
  units: {
    /** The path of a field or section, such as `contact_info.email_address`. */
    unit: string
    provider: string
    /** When the unit was fetched. */
    fetched_at: string
    /** True for a unit that comes from another fetch than the rest of the record. */
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
    /** When a rotated key stops working. */
    revoked_at: string | null
    endpoints: ('people' | 'companies')[]
    /** The optional parts of a person that it may ask for. */
    parts: ('network' | 'verifications' | 'contact')[]
    /** The networks that may use the key; null = all. */
    networks: string[] | null
  }
  /** The credits of the environment. Null for a test key: it spends none. */
  credits: {
    available: number
    held: number
  } | null
  /** What this key, with the keys it was rotated from and to, may spend. */
  ceilings: {
    daily: SpendLimit | null
    monthly: SpendLimit | null
  }
  /** What all keys of the environment may spend together. */
  budgets: {
    monthly: SpendLimit | null
  }
  /** Credits per answer. Null = the price of the endpoint; if the endpoints differ, the higher price. A test key pays nothing. */
  prices: {
    /** The version of the price book; 0 = the prices of the configuration. */
    book: number
    people: number
    companies: number
    stale: number | null
    thin: number | null
    bypass: number | null
    /** Null = 0 from the store, and the price of a company if a provider was asked. */
    resolve: number | null
    /** The credits that an optional part adds if it was asked for and has a value. */
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
    /** Of a record found by a match. */
    match: number | null
    /** Days in which a record is paid for once; 0 = every time. */
    repeat_free_days: number
  }
  freshness: {
    default_days: number
    cap_days: number
    /** The maximum age of a stored copy that is served during an outage of the provider. */
    stale_max_days: number
  }
  rate_limit: {
    limit: number
    window_seconds: number
    remaining: number
    reset_seconds: number
  }
}

/** A limit on spending, and what is left of it. */
export interface SpendLimit {
  limit: number
  /** What was paid and is held in the running period. */
  spent: number
  remaining: number
  /** When the next period begins, at 00:00 UTC. */
  renews_at: string
}

/** What all keys of the environment have called and paid. */
export interface Usage {
  from: string
  to: string
  /** Calls that were answered later are not counted. */
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
  /** The `X-Spend-Tag`; null for calls without one. */
  tag?: string | null
  endpoint?: 'people' | 'companies' | null
  calls: number
  credits: number
}

/** What an environment had, got and spent in a month. */
export interface Statement {
  project: string
  /** Null: all environments of the project. */
  environment: string | null
  /** The UTC month, `2026-10`. A call counts in the month in which it began to hold. */
  month: string
  /** True until the month is closed: figures may still change. */
  in_progress: boolean
  opening_balance: number
  granted: number
  /** Recurring credits that were not spent in time. */
  lapsed: number
  charged: number
  /** Corrections and refunds; negative if credits were taken away. */
  corrected: number
  /** `opening_balance + granted - lapsed - charged + corrected`, always. */
  closing_balance: number
  /** The charges. Their credits add up to `charged`. */
  lines: StatementLine[]
  /** What a credit is worth, and what the charges are worth, if the operator has set a value. */
  value?: {
    currency: string
    /** An exact decimal. */
    credit: string
    /** An exact decimal. */
    charged: string
  }
  /** SHA-256 of the closed statement, as the audit log has it; null while in progress. */
  digest: string | null
}

export interface StatementLine {
  /** The price book and its line or part, `book 0, line 7: people`. Null if the call log no longer has the calls. */
  price_line: string | null
  endpoint: 'people' | 'companies' | null
  source: 'live' | 'store' | 'stale_fallback' | null
  spend_tag: string | null
  /** Calls that the line applied to. A call may have several lines. */
  calls: number
  credits: number
}

/** What one call cost, and why. */
export interface Receipt {
  request_id: string
  at: string
  endpoint: 'people' | 'companies'
  /** The HTTP status of the answer. */
  status: number
  source: 'live' | 'store' | 'stale_fallback' | null
  /** Credits that were set aside before a provider was asked. */
  held: number
  charged: number
  price: {
    /** The version of the price book; 0 = the prices of the configuration. */
    book: number
    /** The lines that applied; empty if nothing was priced. */
    lines: {
      line: string
      credits: number
    }[]
    /** Why less was charged than was held: the call failed, it repeated a paid one (`replayed`), the record was paid for lately (`free_repeat`), what was found costs less than what could have been (`cheaper_line`), a part had no value (`part_without_value`). */
    less_than_held: ('failed' | 'replayed' | 'free_repeat' | 'cheaper_line' | 'part_without_value')[]
  }
  /** The providers that were asked for this call, in order. */
  providers: {
    name: string
    outcome: string
  }[]
  /** The units of the answer that came from other fetches, those that the key may see. */
  filled: FilledUnit[]
  /** Why it ended so, in a sentence: the limit of a 402 and when it renews, the rule that a 400 broke, who was asked for a 404. It repeats nothing that was sent. */
  reason: string
  spend_tag: string | null
}

/** A unit of a record, and the fetch that it comes from. */
export interface FilledUnit {
  /** The path of a field or section, such as `contact_info.email_address`. */
  unit: string
  provider: string
  /** When the unit was fetched. */
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
  /** When the data of the last refresh was fetched. */
  last_seen_at: string | null
  /** The source of the last refresh (`live`, `store`), or the code of its failure, such as `not_found`. */
  last_result: string | null
  /** Why the watch is paused, such as `credit_ceiling_reached`; null while it is active. */
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
  /** The same in feeds and webhooks. Use it to ignore events that you already have. */
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
  /** Null, as is `environment`, in events of the whole service, such as `provider.down`. */
  project: string | null
  environment: string | null
  /** The details of the event. Their shape depends on `type`. */
  data: unknown
}

export interface RecordChanges {
  changes: {
    kind: 'people' | 'companies'
    /** The `member_urn` or `company_id` that your environment was given. */
    id: string
    change: 'merged' | 'split' | 'purged' | 'erased'
    /** The key that a merged record keeps, or the key of the other record of a split. */
    to: string | null
    at: string
  }[]
  /** Pass it as `after` to get the changes after these. */
  next: string
}

/** A batch whose input was read whole. */
export interface SubmittedBatch {
  id: string
  status: 'queued' | 'running' | 'paused' | 'completed' | 'cancelled' | 'failed'
  total: number
  created_at: string
}

export interface BatchList {
  batches: Batch[]
  /** Pass it as `after` for older batches; null at the end. */
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
  /** An estimate from the current pace. */
  seconds_left: number | null
  /** A code such as `out_of_credits`. */
  pause_reason: string | null
  /** How to resume a paused batch, in a sentence. */
  resumed_by: string | null
  resumes_at: string | null
  /** Why a failed batch failed: a code such as `revoked_api_key` or `paused_too_long`. */
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
  /** Different ids and different matches. Each is paid once. */
  distinct: number
  /** Rows that name nobody; they cost nothing. */
  invalid: number
  /** How many of these the store answers without a provider. Matches without an id are not counted. */
  stored: number
  /** The cost of the batch if every row is found. */
  highest_credits: number
  /** The credits that this key can spend now: those of its environment, or those left under its ceilings if that is less. Null for a test key, which spends nothing. */
  available_credits: number | null
  /** By the rate limit of the key and the pace of batches; slow providers add to it. */
  estimated_seconds: number
}

/** One line of NDJSON. */
export interface BatchResultRow {
  /** From 1, in the order of the input. */
  row: number
  /** The id, or the members of the match. Null if the input was unusable, and after an erasure. */
  input: string | Record<string, string> | null
  status: 'found' | 'not_found' | 'invalid' | 'failed'
  /** A failure code. */
  error: string | null
  /** What was wrong, with the name of the field. */
  detail: string | null
  source: 'live' | 'store' | 'stale_fallback' | null
  fetched_at: string | null
  /** What this row cost. Of rows that ask for the same, one shows the charge and the others 0. */
  credits: number
  /** The call of this row, as in its receipt; the same for all rows that it answers. */
  request_id: string | null
  /** Of a match: its likelihood. */
  likelihood: number | null
  /** Of a match: the members that agreed. */
  matched_on: string[] | null
  /** The columns of the submitted file, or what a row had beside its id or its match. Null = nothing. */
  columns: Record<string, unknown> | null
  /** The record, cut to `fields`, or its chosen `paths`. */
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
  identity_mismatch: {
    status: 404,
    title: 'What is known under this name contradicts what was expected',
    retryable: false,
  },
  route_not_found: { status: 404, title: 'No such route', retryable: false },
  method_not_allowed: { status: 405, title: 'Method not allowed', retryable: false },
  request_in_progress: { status: 409, title: 'A call with this Idempotency-Key is still running', retryable: true },
  too_many_batches: { status: 409, title: 'The environment has too many unfinished batches', retryable: false },
  body_too_large: { status: 413, title: 'The request body is too large', retryable: false },
  uri_too_long: { status: 414, title: 'The URL is too long', retryable: false },
  unsupported_media_type: {
    status: 415,
    title: 'The request body is of a type that is not read here',
    retryable: false,
  },
  idempotency_key_reused: { status: 422, title: 'The Idempotency-Key was used for another request', retryable: false },
  headers_too_large: { status: 431, title: 'The request headers are too large', retryable: false },
  client_closed_request: {
    status: 499,
    title: 'The caller closed the connection before the record had come',
    retryable: true,
  },
  internal_error: { status: 500, title: 'Internal error', retryable: true },
  upstream_invalid: { status: 502, title: 'The data provider gave an unusable answer', retryable: true },
  upstream_unavailable: { status: 503, title: 'The data provider cannot be used now', retryable: true },
  overloaded: { status: 503, title: 'The service is overloaded', retryable: true },
  store_unavailable: { status: 503, title: 'The store cannot be reached', retryable: true },
  upstream_timeout: { status: 504, title: 'The data provider did not answer in time', retryable: true },
  not_stored: { status: 504, title: 'Nothing stored fits the request', retryable: false },
} as const

export type FailureCode = keyof typeof failures
