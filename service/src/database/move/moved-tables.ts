import type { Tables } from '../tables/tables.ts'

/** Not moved: the nodes of the old engine, their work in progress, and files that are kept for a day. */
type Passing = 'nodes' | 'leases' | 'exports' | 'export_parts'

/** Every table of a store with its key; tables that others refer to come first. */
export const movedTables = {
  projects: ['name'],
  environments: ['id'],
  keys: ['id'],
  spend_periods: ['spend_id', 'period'],
  ledger_entries: ['id'],
  holds: ['id'],
  idempotency: ['account_id', 'hash'],
  paid_records: ['account_id', 'entity_id'],
  price_books: ['version'],
  statements: ['account_id', 'month'],
  statement_sums: ['account_id', 'month', 'what', 'name', 'each', 'kind', 'source', 'tag'],
  paid_versions: ['version_id', 'account_id'],
  calls: ['request_id'],
  summed_days: ['what', 'day'],
  environment_days: ['day', 'account_id', 'mode', 'kind', 'status', 'source'],
  key_days: ['day', 'account_id', 'key_id', 'mode', 'kind', 'status', 'source', 'tag'],
  provider_days: ['day', 'provider', 'kind', 'outcome'],
  fill_days: ['day', 'provider', 'kind'],
  spend_tags: ['account_id', 'day', 'tag'],
  call_details: ['request_id'],
  entities: ['id'],
  entity_words: ['kind', 'word', 'entity_id'],
  aliases: ['kind', 'type', 'value'],
  former_aliases: ['kind', 'type', 'value', 'entity_id'],
  merged_entities: ['id'],
  record_splits: ['entity_id', 'apart_id'],
  recipients: ['entity_id', 'account_id', 'key'],
  company_pages: ['company_id'],
  contact_index: ['kind', 'type', 'value', 'entity_id'],
  versions: ['id'],
  folds: ['id'],
  fetches: ['id'],
  payloads: ['hash'],
  mentions: ['fetch_id'],
  provider_months: ['provider', 'month'],
  provider_states: ['provider'],
  suppressions: ['hash'],
  rewrites: ['number'],
  hidden_misses: ['hash'],
  watches: ['id'],
  watch_budgets: ['account_id'],
  batches: ['id'],
  batch_rows: ['batch_id', 'number'],
  batch_results: ['batch_id', 'number'],
  audit: ['id'],
  admin_tokens: ['id'],
  sessions: ['hash'],
  settings: ['name'],
  events: ['id'],
  webhooks: ['id'],
  webhook_deliveries: ['id'],
  webhook_retries: ['id'],
} as const satisfies { [Table in Exclude<keyof Tables, Passing>]: readonly (keyof Tables[Table])[] }

export type MovedTable = keyof typeof movedTables

export const movedTableNames = Object.keys(movedTables) as MovedTable[]

/** The tables that number their rows. */
export const numberedTables = [
  'environments',
  'ledger_entries',
  'entities',
  'versions',
  'folds',
  'fetches',
  'batches',
  'audit',
  'events',
  'webhook_deliveries',
  'webhook_retries',
] as const

/** The setting that is written to test whether the store accepts writes. */
export const pingSetting = 'ping'

/** Settings that belong to one engine and its nodes: their names, who may join, whether they must listen. */
export const ownSettings: readonly string[] = ['instance', 'alarm', 'secret.wrapped', pingSetting]
