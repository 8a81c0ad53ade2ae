import type { Generated } from 'kysely'

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

/** An endpoint that is notified of events. */
export interface WebhookRow {
  id: string
  project: string
  /** Null = all environments of the project. */
  environment_id: number | null
  url: string
  /** JSON: the types of events it is notified of. */
  events: string
  format: 'json' | 'slack'
  /** Encrypted with the service's own secret. */
  secret: string
  /** The one before it, which signs too until `previous_until`. */
  previous_secret: string | null
  previous_until: number | null
  state: 'active' | 'paused'
  /** 1 = an event waits until the one before it was accepted; 0 = what fails is tried again apart, and the next ones go on. */
  ordered: number
  /** The position of the last event that it was notified of, or that is tried again apart. */
  position: number
  /** Failures in a row, the time of the first one since a success, and when something is sent again. */
  attempts: number
  failing_since: number | null
  next_attempt_at: number
  /** Why it fails or is paused, for operators. */
  problem: string | null
  created_at: number
}

/** One attempt to notify an endpoint of an event. */
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

/** An event that an endpoint did not take and that is tried again apart from the others, or was given up. */
export interface WebhookRetryRow {
  id: Generated<number>
  webhook_id: string
  event_id: string
  event_type: string
  /** The record that the event is about: an erasure of it removes the row. */
  entity_id: number | null
  attempts: number
  failing_since: number
  next_attempt_at: number
  /** When it was given up; null = it is still tried. */
  parked_at: number | null
  /** Why the last attempt failed, without the receiver's own words. */
  problem: string
}
