import type { Company, Kind, Person, PersonPart } from '@vitae/contract'

/** The answers of the admin API, as far as the console reads them. */

export interface Environment {
  name: string
  balance: number
  held: number
  available: number
  keys: number
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
  rate: string | null
  endpoints: Kind[] | null
  parts: PersonPart[] | null
  networks: string[] | null
  expires_at: string | null
  created_at: string
  last_used_at: string | null
  revoked_at: string | null
  rotated_from: string | null
  spent_this_month: number
}

/** A key at the one moment when it can be read. */
export interface NewKey extends Key {
  key: string
}

export interface Call {
  request_id: string
  at: string
  project: string
  environment: string
  key_id: string
  mode: 'live' | 'test'
  kind: Kind
  status: number
  code: string | null
  source: string | null
  credits: number
  entity_key: string | null
  duration_ms: number | null
  replay_of: string | null
}

export interface Provider {
  name: string
  label: string
  configured: boolean
  in_chain: boolean
  supplies: Record<Kind, string[]>
  breaker: string | null
  in_flight: number
  queued: number
  last_fault: { kind: string; at: string } | null
  last_answer_at: string | null
  budget: { month: string; calls: number; limit: number | null }
  paused: boolean
  recent: { calls: number; failures: number; p50_ms: number | null }
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
  range: string
  bucket: string
  series: Bucket[]
  totals: {
    calls: number
    live: number
    store: number
    stale: number
    failures: number
    upstream_saved: number
    store_share: number | null
  }
  environments: {
    project: string
    environment: string
    available: number
    burnt: number
    per_day: number
    days_left: number | null
  }[]
  providers: Provider[]
}

export interface RecordRow {
  kind: Kind
  key: string
  derived: boolean
  name: string | null
  slug: string | null
  provider: string | null
  fetched_at: string | null
  thin: boolean
  versions: number
}

/** One call to a provider about a record. */
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

interface RecordFacts {
  key: string
  derived: boolean
  name: string | null
  aliases: { type: string; value: string; withdrawn: boolean }[]
  provider: string | null
  fetched_at: string | null
  source_updated_at: string | null
  age_seconds: number | null
  thin: boolean
  projection: number | null
  supplied: Record<string, 'supplied' | 'not_supplied'>
  versions: number
  fetches: Fetch[]
}
export type RecordView = RecordFacts &
  ({ kind: 'people'; record: Person | null } | { kind: 'companies'; record: Company | null })

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
  changes: { kind: string; path: string; before: unknown; after: unknown }[]
}

export interface AuditEntry {
  id: number
  at: string
  actor: string
  action: string
  subject: string | null
  reason: string | null
  before: unknown
  after: unknown
}

export interface Suppression {
  hash: string
  kind: Kind
  origin: string
  reason: string | null
  created_at: string
}
