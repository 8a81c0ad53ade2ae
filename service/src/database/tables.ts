import type { Generated } from 'kysely'

/**
 * Every table, once, for both engines. Times are milliseconds since the epoch, flags are 0 or 1, lists are JSON text:
 * the plainest forms, so that SQLite and PostgreSQL hold the same values and rows can be moved between them.
 */
export interface Tables {
  projects: ProjectRow
  environments: EnvironmentRow
  keys: KeyRow
  key_months: KeyMonthRow
  ledger_entries: LedgerEntryRow
  holds: HoldRow
  idempotency: IdempotencyRow
  paid_records: PaidRecordRow
  calls: CallRow
  usage_days: UsageDayRow
  call_details: CallDetailsRow
  entities: EntityRow
  entity_words: EntityWordRow
  aliases: AliasRow
  former_aliases: FormerAliasRow
  merged_entities: MergedEntityRow
  versions: VersionRow
  fetches: FetchRow
  payloads: PayloadRow
  provider_months: ProviderMonthRow
  provider_states: ProviderStateRow
  suppressions: SuppressionRow
  watches: WatchRow
  watch_budgets: WatchBudgetRow
  batches: BatchRow
  batch_rows: BatchInputRow
  batch_results: BatchResultRow
  audit: AuditRow
  admin_tokens: AdminTokenRow
  sessions: SessionRow
  nodes: NodeRow
  rate_reports: RateReportRow
  settings: SettingRow
  events: EventRow
  webhooks: WebhookRow
  webhook_deliveries: WebhookDeliveryRow
  leases: LeaseRow
}

export interface ProjectRow {
  name: string
  suspended: number
  billing_blocked: number
  created_at: number
}

/** An environment is the account that credits belong to. `balance` and `held` are derived from the entries. */
export interface EnvironmentRow {
  id: Generated<number>
  project: string
  name: string
  balance: number
  held: number
  created_at: number
  /** Credits that its keys may spend together in a UTC month; null = no budget. */
  monthly_budget: Generated<number | null>
  /** Below this balance `credits.low` is told; null = when nothing is left. */
  alert_credits_below: Generated<number | null>
  /** From this part of a ceiling on `ceiling.near` is told; null = the default. */
  alert_ceiling_percent: Generated<number | null>
  /** Whether `credits.low` was told since the balance was last high enough. */
  low_told: Generated<number>
}

export interface KeyRow {
  id: string
  /** SHA-256 of the key, hex. The key itself is never stored. */
  hash: string
  /** First and last characters, for display. */
  display: string
  project: string
  environment_id: number
  mode: 'live' | 'test'
  label: string | null
  ceiling: number | null
  rate_limit: number | null
  rate_window_ms: number | null
  endpoints: string | null
  parts: string | null
  networks: string | null
  expires_at: number | null
  created_at: number
  last_used_at: number | null
  revoked_at: number | null
  /** The first key of a chain of rotations: the month's spend is counted under it. */
  spend_id: string
  rotated_from: string | null
  /** Credits per UTC day; `ceiling` is the same per month. */
  daily_ceiling: number | null
  /** The start of the first day whose spending is counted by the day; null until its chain has had a daily ceiling. */
  days_from: number | null
}

/** What was spent in a period: by a key in a month and in a day, by an environment with a budget in a month. */
export interface KeyMonthRow {
  /** The `spend_id` of a key, or `environment 5`. */
  spend_id: string
  /** UTC calendar month, `2026-11`, or day, `2026-11-14`. */
  month: string
  captured: number
  held: number
  /** The ceiling or budget of which it was told that it is nearly spent, or spent; null = not told. */
  near_told: Generated<number | null>
  reached_told: Generated<number | null>
}

export type EntryKind = 'grant' | 'hold' | 'capture' | 'release' | 'charge' | 'adjustment'

export interface LedgerEntryRow {
  id: Generated<number>
  account_id: number
  kind: EntryKind
  amount: number
  /** For `capture`: the amount of the hold that ends with it. */
  held_amount: number | null
  key_id: string | null
  spend_id: string | null
  month: string | null
  request_id: string | null
  hold_id: string | null
  reason: string | null
  actor: string | null
  at: number
}

export interface HoldRow {
  id: string
  account_id: number
  key_id: string
  spend_id: string
  month: string
  amount: number
  placed_at: number
  expires_at: number
  /** The running mark that ends with the hold. */
  idempotency_hash: string | null
}

export interface IdempotencyRow {
  account_id: number
  /** Keyed hash of the caller's value. */
  hash: string
  /** Of the request; empty once its subject was erased. */
  fingerprint: string
  state: 'running' | 'done'
  request_id: string
  version_id: number | null
  source: string | null
  created_at: number
  /** Running: when its node counts as dead. Done: when the answer is forgotten. */
  expires_at: number
}

/** When an account last paid for a record. Written only while repeats are free. */
export interface PaidRecordRow {
  account_id: number
  entity_id: number
  paid_at: number
}

export interface CallRow {
  request_id: string
  at: number
  mode: 'live' | 'test'
  key_id: string
  account_id: number
  kind: 'people' | 'companies'
  status: number
  code: string | null
  source: string | null
  credits: number
  identifier: string | null
  entity_id: number | null
  version_id: number | null
  fetch_id: number | null
  /** The request that was paid for, when this one replayed it. */
  replay_of: string | null
  duration_ms: number | null
  /** How many further calls just like it this row stands for; null = none. */
  repeats: Generated<number | null>
  /** What the caller said it was for, `X-Spend-Tag`. */
  tag: Generated<string | null>
}

/** Only of calls that failed or asked a provider. */
export interface CallDetailsRow {
  request_id: string
  at: number
  kind: 'people' | 'companies'
  /** What was asked for, `slug:ada`; null after an erasure. */
  identifier: string | null
  /** JSON; it names nobody. */
  explanation: string
}

/** What is left of the calls of a day that retention has removed. An empty text stands for null. */
export interface UsageDayRow {
  /** When the UTC day begins. */
  day: number
  account_id: number
  key_id: string
  mode: 'live' | 'test'
  kind: 'people' | 'companies' | ''
  status: number
  source: string
  tag: string
  calls: number
  credits: number
}

export interface EntityRow {
  id: Generated<number>
  kind: 'people' | 'companies'
  /** `member_urn` or `company_id`. */
  key: string
  derived: number
  version_id: number | null
  /** Facts of the version that is served, for the sorted list of records. */
  provider: string | null
  fetched_at: Generated<number>
  thin: Generated<number>
  /** Folded name, for the operator's search. */
  name: string | null
  /** The words of `entity_words`, with a space between them. */
  words: string | null
  created_at: number
  used_at: number | null
}

/** Leads the operator's search from a word to the records that have it. */
export interface EntityWordRow {
  kind: 'people' | 'companies'
  word: string
  entity_id: number
}

export interface AliasRow {
  kind: 'people' | 'companies'
  type: string
  value: string
  entity_id: number | null
  /** The stored copy may not be served under this alias until a fetch brings it back. */
  withdrawn: number
  not_found_at: number | null
  seen_at: number
}

/** Written when an alias moves to another entity, so that an erasure finds everyone who ever held it. */
export interface FormerAliasRow {
  kind: 'people' | 'companies'
  type: string
  value: string
  entity_id: number
  until: number
}

/** Where an absorbed entity went. Calls keep the id they were written with; it leads here to the survivor. */
export interface MergedEntityRow {
  id: number
  into_id: number
}

export interface VersionRow {
  id: Generated<number>
  entity_id: number
  fetch_id: number | null
  provider: string
  projection: number
  fetched_at: number
  source_updated_at: number | null
  thin: number
  /** zstd of the JSON of the full record. */
  body: Uint8Array
  /** Offsets of the optional parts, JSON. */
  parts: string | null
}

export interface FetchRow {
  id: Generated<number>
  provider: string
  kind: 'people' | 'companies'
  /** What was asked for: the type and value of the identifier, `slug:ada`. */
  identifier: string | null
  at: number
  status: number | null
  outcome: string
  cost: number | null
  payload_hash: string | null
  entity_id: number | null
  redacted: number
  duration_ms: number | null
}

export interface PayloadRow {
  /** SHA-256 of the untouched bytes, hex. */
  hash: string
  /** zstd. */
  bytes: Uint8Array
  size: number
  at: number
}

export interface ProviderMonthRow {
  provider: string
  month: string
  calls: number
}

export interface ProviderStateRow {
  provider: string
  paused: number
  changed_at: number
  /** Since when it is told to be down; null = it is not. */
  down_since: Generated<number | null>
}

export interface SuppressionRow {
  /** Keyed hash of kind, alias type and value. */
  hash: string
  kind: 'people' | 'companies'
  /** `erasure`, `operator` or the name of a feed. */
  origin: string
  reason: string | null
  created_at: number
}

/** A record that an environment is told about, and that one of its keys pays to look at again and again. */
export interface WatchRow {
  id: string
  account_id: number
  key_id: string
  kind: 'people' | 'companies'
  /** What is watched, as the caller's identifier was resolved; never a domain. */
  type: 'slug' | 'id' | 'opaque' | 'urn' | 'domain'
  value: string
  /** Null until the environment has paid for the record once: before that it hears nothing of it. */
  entity_id: number | null
  every_days: number
  note: string | null
  created_at: number
  next_due: number
  /** Until then a node is at work on it. */
  claimed_until: Generated<number>
  /** What the running lookup may cost, counted in `watch_budgets` already. */
  reserved: Generated<number>
  looked_at: number | null
  /** When the data of the last answer was fetched. */
  seen_at: number | null
  /** The source of the last answer, or the code of its failure. */
  result: string | null
  /** Why it rests; null = it goes on. */
  paused: string | null
}

/** What the watches of an environment may spend in a UTC month, and have spent in the one named. */
export interface WatchBudgetRow {
  account_id: number
  max_credits: number | null
  month: string
  spent: number
}

export type BatchStatus = 'uploading' | 'queued' | 'running' | 'paused' | 'completed' | 'cancelled' | 'failed'
export type BatchRowStatus = 'found' | 'not_found' | 'invalid' | 'failed'

/** A file of lookups. `uploading` ones are seen by nobody. */
export interface BatchRow {
  id: Generated<number>
  public_id: string
  account_id: number
  key_id: string
  mode: 'live' | 'test'
  kind: 'people' | 'companies'
  name: string | null
  status: BatchStatus
  /** JSON: freshness, parts, fields and the spend tag of its lookups. */
  options: string
  max_credits: number | null
  /** Keyed hash of the Idempotency-Key of its submission, and the digest of what was submitted. */
  idempotency_hash: string | null
  digest: string | null
  total: number
  found: Generated<number>
  not_found: Generated<number>
  invalid: Generated<number>
  failed: Generated<number>
  credits: Generated<number>
  /** Why it is paused or has failed. */
  reason: string | null
  /** When a paused one goes on by itself; null = when somebody resumes it. */
  resume_at: number | null
  /** Since when it does not go on, however often that was tried, and the reason that was told last; null while it does. */
  paused_since: Generated<number | null>
  told_pause: Generated<string | null>
  /** Pauses in a row that ended in the next one. */
  backoffs: Generated<number>
  /** Since when no provider has answered; null = the last one that was asked did. */
  failing_since: number | null
  /** The node that runs it, until its lease ends. The database's own time: one clock for all nodes. */
  runner: string | null
  lease_until: Generated<number>
  /** When the present runner began, and how many rows were done then. */
  claimed_at: number | null
  claimed_done: Generated<number>
  created_at: number
  started_at: number | null
  ended_at: number | null
  /** When it is removed; of an upload, when it counts as given up. */
  expires_at: number | null
}

export interface BatchInputRow {
  batch_id: number
  /** From 1, in the order of the input. */
  number: number
  /** What was given; null where it was no text that could name anybody, and after an erasure. */
  input: string | null
}

/** How a row ended. The record is the version of the answer: there is no second copy. */
export interface BatchResultRow {
  batch_id: number
  number: number
  status: BatchRowStatus
  error: string | null
  source: string | null
  fetched_at: number | null
  credits: number
  request_id: string | null
  version_id: number | null
}

export interface AuditRow {
  id: Generated<number>
  at: number
  actor: string
  action: string
  subject: string | null
  reason: string | null
  before: string | null
  after: string | null
  previous_hash: string
  hash: string
}

export interface AdminTokenRow {
  id: string
  hash: string
  label: string | null
  role: 'viewer' | 'operator' | 'billing' | 'owner'
  project: string | null
  created_at: number
  last_used_at: number | null
  revoked_at: number | null
}

export interface SessionRow {
  /** Of the secret in the cookie, which is stored nowhere. */
  hash: string
  actor: string
  role: 'viewer' | 'operator' | 'billing' | 'owner'
  project: string | null
  /** A hash that opens nothing. The first version kept the CSRF token itself here and still looks for it. */
  csrf: string
  /** The token, or the settings of single sign-on: the session ends with them. */
  token_id: string | null
  method: 'token' | 'single_sign_on'
  /** Null in sessions of the first version, as are the next two. */
  address: string | null
  user_agent: string | null
  seen_at: number | null
  created_at: number
  expires_at: number
}

/** A serving process on PostgreSQL. Times are the database's own: one clock for all nodes. */
export interface NodeRow {
  id: string
  seen_at: number
  /** The last alarm that it has acted on. */
  heard: number
  /** When it was last without Redis; 0 = never. */
  cut_off_at: Generated<number>
  /** Always 1: every node answers callers. */
  serves: number
}

/** What one node has let through in a running window, written when the common counter is lost. */
export interface RateReportRow {
  node: string
  id: string
  used: number
  ends_at: number
}

export interface SettingRow {
  name: string
  value: string
}

/** Something that happened. Written in the transaction that causes it, read in the order of `position`. */
export interface EventRow {
  id: Generated<number>
  /** What receivers tell events apart by; never given twice, also not after a restore. */
  public_id: string
  /** Null until the row has been seen committed. */
  position: Generated<number | null>
  type: string
  at: number
  /** The environment; null = the whole service. */
  account_id: number | null
  /** The record that it is about. */
  entity_id: number | null
  /** JSON. */
  data: string
}

/** An endpoint that is told of events. */
export interface WebhookRow {
  id: string
  project: string
  /** Null = all environments of the project. */
  environment_id: number | null
  url: string
  /** JSON: the types of events it is told of. */
  events: string
  format: 'json' | 'slack'
  /** Encrypted with the service's own secret. */
  secret: string
  /** The one before it, which signs too until `previous_until`. */
  previous_secret: string | null
  previous_until: number | null
  state: 'active' | 'paused'
  /** The position of the last event that it was told of. */
  position: number
  /** How often the next event was tried in vain, since when, and when it is tried again. */
  attempts: number
  failing_since: number | null
  next_attempt_at: number
  /** Why it fails or is paused, for operators. */
  problem: string | null
  created_at: number
}

/** One attempt to tell an endpoint of an event. */
export interface WebhookDeliveryRow {
  id: Generated<number>
  webhook_id: string
  event_id: string
  event_type: string
  /** The record that the event is about: an erasure of it removes the row. */
  entity_id: number | null
  kind: 'event' | 'redelivery' | 'test'
  at: number
  attempt: number
  outcome: 'delivered' | 'failed' | 'refused'
  status: number | null
  answer: string
  duration_ms: number
}

/** Work that one process does for all, until `expires_at` by the database's clock. */
export interface LeaseRow {
  name: string
  holder: string
  expires_at: number
}
