// Generated from the admin API by scripts/generate-console-types.ts. Do not edit.

/** Every operation of the admin API. */
export type Operation =
  | 'signIn'
  | 'showSession'
  | 'signOut'
  | 'listSessions'
  | 'endSession'
  | 'endSessionsOf'
  | 'listProjects'
  | 'createProject'
  | 'showProject'
  | 'updateProject'
  | 'deleteProject'
  | 'setRoute'
  | 'listKeys'
  | 'createKey'
  | 'showKey'
  | 'updateKey'
  | 'rotateKey'
  | 'revokeKey'
  | 'grantCredits'
  | 'adjustCredits'
  | 'setBudget'
  | 'setRecurring'
  | 'creditBalance'
  | 'creditHistory'
  | 'verifyLedger'
  | 'showReceipt'
  | 'showAlerts'
  | 'setAlerts'
  | 'readStatement'
  | 'showPrices'
  | 'setPrices'
  | 'priceHistory'
  | 'checkPrices'
  | 'listCalls'
  | 'showCall'
  | 'readUsage'
  | 'readSavings'
  | 'readOverview'
  | 'searchAll'
  | 'searchRecords'
  | 'showPersonRecord'
  | 'listPersonVersions'
  | 'diffPersonVersions'
  | 'showCompanyRecord'
  | 'listCompanyVersions'
  | 'diffCompanyVersions'
  | 'showVersion'
  | 'readRawPayload'
  | 'refreshPersonRecord'
  | 'refreshCompanyRecord'
  | 'reprojectRecords'
  | 'importRecords'
  | 'listSuspects'
  | 'splitPerson'
  | 'splitCompany'
  | 'planPersonErasure'
  | 'erasePerson'
  | 'planCompanyErasure'
  | 'eraseCompany'
  | 'eraseRecords'
  | 'exportPerson'
  | 'exportCompany'
  | 'planPurge'
  | 'purgeRecords'
  | 'lookUp'
  | 'listWatches'
  | 'addWatches'
  | 'removeWatch'
  | 'listBatches'
  | 'submitBatch'
  | 'showBatch'
  | 'cancelBatch'
  | 'resumeBatch'
  | 'downloadBatch'
  | 'listUnfoundRows'
  | 'previewBatch'
  | 'listSuppressions'
  | 'addSuppressions'
  | 'exportSuppressions'
  | 'listErasures'
  | 'checkSuppressions'
  | 'removeSuppressions'
  | 'importSuppressions'
  | 'planRetention'
  | 'runRetention'
  | 'makeBackup'
  | 'listBackups'
  | 'verifyBackup'
  | 'downloadBackup'
  | 'readWork'
  | 'resumeWork'
  | 'listProviders'
  | 'checkProvider'
  | 'pauseProvider'
  | 'resumeProvider'
  | 'scoreProviders'
  | 'listTokens'
  | 'createToken'
  | 'revokeToken'
  | 'listAudit'
  | 'verifyAudit'
  | 'listWebhooks'
  | 'createWebhook'
  | 'showWebhook'
  | 'updateWebhook'
  | 'deleteWebhook'
  | 'rotateWebhook'
  | 'listWebhookDeliveries'
  | 'testWebhook'
  | 'redeliverWebhook'
  | 'listParkedEvents'
  | 'retryParkedEvents'
  | 'listWebhookQueue'
  | 'skipWebhookEvent'
  | 'showWebhookPayload'
  | 'readSettings'
  | 'runDoctor'

export interface Session {
  actor: string
  actor_name: string | null
  role: 'viewer' | 'operator' | 'billing' | 'owner'
  project: string | null
  capabilities: string[]
  csrf: string | null
}

export interface SessionRow {
  id: string
  actor: string
  actor_name: string | null
  role: 'viewer' | 'operator' | 'billing' | 'owner'
  project: string | null
  method: 'token' | 'single_sign_on'
  address: string | null
  user_agent: string | null
  created_at: string
  last_used_at: string
  expires_at: string
  current: boolean
}

export interface Environment {
  name: string
  balance: number
  held: number
  available: number
  keys: number
  monthly_budget?: number
  providers?: string[]
}

export interface Project {
  name: string
  suspended: boolean
  billing_blocked: boolean
  created_at: string
  environments: Environment[]
}

export interface Key {
  id: string
  display: string
  project: string
  environment: string
  mode: 'live' | 'test'
  label: string | null
  ceiling: number | null
  daily_ceiling: number | null
  rate: string | null
  endpoints: ('people' | 'companies')[] | null
  parts: ('network' | 'verifications' | 'contact')[] | null
  networks: string[] | null
  expires_at: string | null
  created_at: string
  last_used_at: string | null
  revoked_at: string | null
  revoked: boolean
  rotated_from: string | null
  rotated_to?: string | null
  spent_this_month: number
  spent_today: number
}

export interface NewKey {
  id: string
  display: string
  project: string
  environment: string
  mode: 'live' | 'test'
  label: string | null
  ceiling: number | null
  daily_ceiling: number | null
  rate: string | null
  endpoints: ('people' | 'companies')[] | null
  parts: ('network' | 'verifications' | 'contact')[] | null
  networks: string[] | null
  expires_at: string | null
  created_at: string
  last_used_at: string | null
  revoked_at: string | null
  revoked: boolean
  rotated_from: string | null
  rotated_to?: string | null
  spent_this_month: number
  spent_today: number
  key: string
}

export interface LedgerPage {
  entries: {
    id: number
    at: string
    kind: 'grant' | 'hold' | 'capture' | 'release' | 'charge' | 'adjustment'
    amount: number
    held_amount: number | null
    month: string | null
    key_id: string | null
    request_id: string | null
    reason: string | null
    actor: string | null
    change: number
    balance: number | null
  }[]
  next_cursor: string | null
}

export interface Balance {
  balance: number
  held: number
  available: number
  monthly_budget?: number
  spent_this_month?: number
  recurring_credits?: number
  recurring_carry_over?: boolean
}

export interface Alerts {
  credits_below: number
  ceiling_percent: number
}

export interface PriceBook {
  version: number
  valid_from: string | null
  set_at: string | null
  actor: string | null
  lines: Record<string, unknown>[]
  parts: Record<string, unknown>[]
}

export interface Prices {
  current: PriceBook
  next: PriceBook[]
}

export interface PriceCheck {
  ok: boolean
  errors: {
    parameter: string
    detail: string
  }[]
  warnings: {
    parameter: string
    detail: string
  }[]
  more: number
}

export interface Call {
  request_id: string
  at: string
  project: string
  environment: string
  key_id: string
  key_name: string
  mode: 'live' | 'test'
  kind: 'people' | 'companies'
  status: number
  code: string | null
  source: string | null
  credits: number
  entity_key: string | null
  entity_name: string | null
  duration_ms: number | null
  replay_of: string | null
  tag: string | null
}

export interface Receipt {
  request_id: string
  project: string
  environment: string
  key: {
    id: string
    display: string
    label: string | null
  }
  at: string | null
  mode: 'live' | 'test' | null
  endpoint: 'people' | 'companies' | null
  status: number | null
  code: string | null
  source: string | null
  credits: number | null
  entity: string | null
  version_id: number | null
  fetch_id: number | null
  replay_of: string | null
  duration_ms: number | null
  tag: string | null
  price: string | null
  price_lines: {
    line: string
    credits: number
  }[]
  entries: {
    id: number
    at: string
    kind: 'grant' | 'hold' | 'capture' | 'release' | 'charge' | 'adjustment'
    amount: number
    held_amount: number | null
    month: string | null
  }[]
  hold: {
    amount: number
    placed_at: string
    expires_at: string
  } | null
}

export interface ExplainedCall {
  request_id: string
  at: string
  project: string
  environment: string
  key: {
    id: string
    display: string
    label: string | null
  }
  mode: 'live' | 'test'
  kind: 'people' | 'companies'
  identifier: string | null
  identifier_type: string | null
  entity_key: string | null
  status: number
  code: string | null
  source: string | null
  replay_of: string | null
  reason: string
  tag: string | null
  options: string[] | null
  is_explained: boolean
  freshness: {
    decision: string
    reason: string
    copy_age_seconds: number | null
    max_age_seconds: number | null
  } | null
  attempts: {
    provider: string
    outcome: string
    status: number | null
    cause: string | null
    cost: number | null
    duration_ms: number
  }[]
  currency: string
  cause: string | null
  fetched_by: string | null
  suppressed: boolean | null
  settlement: {
    outcome: 'charged' | 'captured' | 'released' | 'held' | 'none'
    held: number
    charged: number
    entries: {
      id: number
      at: string
      kind: 'grant' | 'hold' | 'capture' | 'release' | 'charge' | 'adjustment'
      amount: number
      held_amount: number | null
      month: string | null
    }[]
  }
  timings_ms: {
    authorize: number | null
    recall: number | null
    hold: number | null
    fetch: number | null
    save: number | null
    capture: number | null
    release: number | null
    total: number | null
  }
}

export interface SearchResult {
  kind: 'call' | 'key' | 'project' | 'environment' | 'people' | 'companies' | 'batch' | 'webhook'
  id: string
  name: string
  detail: string
}

export interface Savings {
  calls: number
  credits: number | null
  money: number | null
  currency: string
}

export interface Usage {
  as_of: string
  since: string
  until: string
  rows: UsageRow[]
  groups?: number
  total?: {
    calls: number
    credits: number
    credits_before?: number
  }
  next_cursor: string | null
}

export interface UsageRow {
  period: string
  day?: string
  project?: string
  environment?: string
  key_id?: string
  key_label?: string | null
  key_display?: string
  tag?: string | null
  kind?: 'people' | 'companies' | null
  source?: string | null
  status?: number
  rest?: number
  calls: number
  credits: number
  credits_before?: number
  p50_ms: number | null
  p95_ms: number | null
}

export interface Provider {
  name: string
  label: string
  configured: boolean
  in_chain: boolean
  supplies: {
    people: string[]
    companies: string[]
  }
  breaker: 'closed' | 'open' | 'half-open' | null
  in_flight: number
  queued: number
  last_fault: {
    kind: string
    at: string
  } | null
  last_answer_at: string | null
  budget: {
    month: string
    calls: number
    limit: number | null
  }
  paused: boolean
  recent: {
    calls: number
    failures: number
    p50_ms: number | null
  }
}

export interface ProviderCheck {
  ok: boolean
  verdict: string
  detail: string
  duration_ms: number
}

export interface Scorecard {
  range: 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year'
  since: string
  until: string
  currency: string
  providers: Score[]
  disagreements: Disagreement[]
}

export interface Score {
  provider: string
  label: string
  kind: 'people' | 'companies'
  calls: number
  found: number
  not_found: number
  thin: number
  usable: number
  faults: Record<string, number>
  p50_ms: number | null
  p95_ms: number | null
  money: number | null
  money_unit: string | null
  money_per_call: number | null
  money_per_usable_record: number | null
  records_read: number
  fill_rate: Record<string, number>
  alone: string[]
}

export interface Disagreement {
  kind: 'people' | 'companies'
  providers: string[]
  records: number
  fields: {
    field: string
    compared: number
    differ: number
  }[]
  examples: string[]
}

export interface Bucket {
  at: string
  live: number
  store: number
  stale: number
  client_errors: number
  server_errors: number
  credits: number
  p50_ms: number | null
  p95_ms: number | null
}

export interface Overview {
  range: 'hour' | 'day' | 'week' | 'month' | null
  since: string
  until: string
  bucket: string
  bucket_seconds: number
  series: Bucket[]
  totals: {
    calls: number
    credits: number
    live: number
    store: number
    stale: number
    failures: number
    client_errors: number
    server_errors: number
    upstream_saved: number
    store_share: number
  }
  environments: {
    project: string
    environment: string
    available: number
    burnt: number
    per_day: number
    days_left: number | null
  }[]
  environments_total: number
  providers: Provider[]
  attention: {
    level: 'danger' | 'warning'
    kind:
      | 'provider'
      | 'environment'
      | 'budget'
      | 'key'
      | 'backup'
      | 'disk'
      | 'clock'
      | 'work'
      | 'webhook'
      | 'batch'
      | 'failures'
      | 'finding'
    name: string
    detail: string
    advice: string
    state?: 'paused' | 'failing' | 'parked' | 'failed'
    id?: string
    project?: string
    environment?: string
    key_id?: string
    code?: string
  }[]
}

export interface RecordRow {
  kind: 'people' | 'companies'
  key: string
  derived: boolean
  name: string | null
  slug: string | null
  provider: string | null
  fetched_at: string | null
  thin: boolean
  versions: number
}

export interface Fetch {
  id: number
  provider: string
  at: string
  status: number | null
  outcome: string
  cost: number | null
  duration_ms: number | null
  has_payload: boolean
  redacted: boolean
}

export interface StoredRecord {
  kind: 'people' | 'companies'
  key: string
  derived: boolean
  name: string | null
  aliases: {
    type: string
    value: string
    withdrawn: boolean
  }[]
  provider: string | null
  fetched_at: string | null
  source_updated_at: string | null
  age_seconds: number | null
  thin: boolean
  projection: number | null
  record: Record<string, unknown> | null
  supplied: Record<string, 'supplied' | 'not_supplied'>
  filled: {
    unit: string
    provider: string
    fetched_at: string
  }[]
  versions: number
  suspect_names?: string[]
  fetches: Fetch[]
}

export interface Version {
  id: number
  fetched_at: string
  provider: string
  projection: number
  thin: boolean
  source_updated_at: string | null
  fetch_id: number | null
  current: boolean
}

export interface Diff {
  changes: {
    kind:
      | 'job_change'
      | 'promotion'
      | 'return'
      | 'headline'
      | 'location'
      | 'headcount'
      | 'funding'
      | 'source_changed'
      | 'field'
    path: string
    before: unknown
    after: unknown
  }[]
  from: Version | null
  to: Version
}

export interface ErasurePlan {
  kind: 'people' | 'companies'
  asked: {
    type: string
    value: string
  }[]
  entities: {
    id: number
    key: string
    name: string | null
    aliases: {
      type: string
      value: string
    }[]
    former_aliases: {
      type: string
      value: string
    }[]
    versions: number
    fetches: number
    payloads: number
    suspect_names: string[]
  }[]
  calls: number
  replays: number
  mentions: number
}

export interface Erased {
  erased: {
    entities: number
    versions: number
    fetches: number
    payloads: number
    calls: number
    replays: number
    redacted_payloads: number
  }
  suppressed_hashes: number
  files_rewritten: boolean
  tables_left: string[]
  duration_ms: number
}

export interface ReprojectStep {
  done: boolean
  next_cursor: string | null
  resumed: boolean
  seen: number
  changed: number
  filled: Record<string, number>
  failed: number
  total_estimate: number | null
}

export interface Settings {
  version: string
  settings: Record<string, unknown>
  variables: {
    name: string
    value: string | null
    source: string
  }[]
}

export interface Finding {
  name: string
  state: 'ok' | 'warning' | 'error'
  detail: string
  mend: string | null
}

export interface Backup {
  path: string
  size: number
  made_at: string
}

export interface BackupCheck {
  ok: boolean
  fault: string | null
  entries: number
  calls: number
  entities: number
  versions: number
  payloads: number
  suppressions: number
}

export interface RetentionPlan {
  rules: {
    raw_days: number | null
    history_days: number | null
    record_days: number | null
    unused_record_days: number | null
    call_log_days: number | null
    per_provider: Record<string, Record<string, number | null>>
  }
  would_remove: {
    payloads: number
    versions: number
    fetches: number
    entities: number
    calls: number
    misses: number
  }
}

export interface Token {
  id: string
  label: string | null
  role: 'viewer' | 'operator' | 'billing' | 'owner'
  project: string | null
  created_at: string
  last_used_at: string | null
  revoked_at: string | null
}

export interface NewToken {
  id: string
  label: string | null
  role: 'viewer' | 'operator' | 'billing' | 'owner'
  project: string | null
  created_at: string
  last_used_at: string | null
  revoked_at: string | null
  token: string
}

export interface AuditEntry {
  id: number
  at: string
  actor: string
  action: string
  subject: string | null
  actor_name: string | null
  record: {
    kind: 'people' | 'companies'
    key: string
    name: string | null
  } | null
  reason: string | null
  before: unknown
  after: unknown
}

export interface AuditVerdict {
  ok: boolean
  checked: number
  broken_at: number | null
}

export interface OperatorWatch {
  id: string
  kind: 'people' | 'companies'
  identifier: string
  every_days: number
  note: string | null
  created_at: string
  next_due_at: string | null
  last_checked_at: string | null
  last_seen_at: string | null
  last_result: string | null
  paused: string | null
  project: string
  environment: string
  key_id: string
  last_change: {
    type: string
    at: string
  } | null
  credits_per_month: number
}

export interface AddedWatches {
  project: string
  environment: string
  key_id: string
  created: number
  existing: number
  errors: {
    index: number
    reason: string
  }[]
  credits_at_once: number
  credits_per_month: number
  max_credits_per_month: number | null
  spent_this_month: number
  watches: {
    id: string
    kind: 'people' | 'companies'
    identifier: string
    every_days: number
    note: string | null
    created_at: string
    next_due_at: string | null
    last_checked_at: string | null
    last_seen_at: string | null
    last_result: string | null
    paused: string | null
  }[]
}

export interface OperatorBatch {
  id: string
  status: 'queued' | 'running' | 'paused' | 'completed' | 'cancelled' | 'failed'
  total: number
  created_at: string
  name: string | null
  kind: 'people' | 'companies'
  counts: {
    found: number
    not_found: number
    invalid: number
    failed: number
    waiting: number
  }
  credits_spent: number
  max_credits: number | null
  seconds_left: number | null
  pause_reason: string | null
  resumed_by: string | null
  resumes_at: string | null
  error: string | null
  started_at: string | null
  ended_at: string | null
  expires_at: string | null
  project: string
  environment: string
  mode: 'live' | 'test'
  key_id: string
  key_label: string | null
}

export interface BatchPreview {
  kind: 'people' | 'companies'
  project: string
  environment: string
  mode: 'live' | 'test'
  rows: number
  invalid: number
  distinct: number
  in_store: number
  fresh: number
  not_found: number
  credits_at_most: number
  credits_available: number | null
  ceiling_remaining: number | null
}

export interface SubmittedBatch {
  id: string
  status: 'queued' | 'running' | 'paused' | 'completed' | 'cancelled' | 'failed'
  total: number
  created_at: string
}

export interface Suppression {
  hash: string
  kind: 'people' | 'companies'
  origin: string
  reason: string | null
  created_at: string
  subject?: string | null
}

export interface Webhook {
  id: string
  project: string
  environment: string | null
  url: string
  events:
    | ('person.job_changed'
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
    | 'backup.overdue'
    | 'batch.completed'
    | 'batch.paused'
    | 'batch.resumed'
    | 'batch.failed')[]
  format: 'json' | 'slack'
  ordered: boolean
  state: 'active' | 'paused'
  problem: string | null
  attempts: number
  retrying: number
  parked: number
  failing_since: string | null
  next_attempt_at: string | null
  created_at: string
}

export interface NewWebhook {
  id: string
  project: string
  environment: string | null
  url: string
  events:
    | ('person.job_changed'
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
    | 'backup.overdue'
    | 'batch.completed'
    | 'batch.paused'
    | 'batch.resumed'
    | 'batch.failed')[]
  format: 'json' | 'slack'
  ordered: boolean
  state: 'active' | 'paused'
  problem: string | null
  attempts: number
  retrying: number
  parked: number
  failing_since: string | null
  next_attempt_at: string | null
  created_at: string
  secret: string
}

export interface WebhookDelivery {
  id: string
  webhook: string
  event: string
  type: string
  kind: 'event' | 'redelivery' | 'test'
  at: string
  attempt: number
  outcome: 'delivered' | 'failed' | 'refused'
  status: number | null
  answer: string
  duration_ms: number
}

export interface ParkedEvent {
  id: string
  event: string
  type: string
  attempts: number
  failing_since: string
  parked_at: string
  problem: string
}

export interface QueuedEvent {
  event: string
  type: string
  since: string
  attempts: number
  next_attempt_at: string | null
  problem: string | null
}

export interface WebhookPayload {
  event: string
  type: string
  body: string
}

export interface UnfoundRow {
  row: number
  input: string | null
  status: 'not_found' | 'invalid' | 'failed' | 'found'
  error: string | null
  request_id: string | null
}
