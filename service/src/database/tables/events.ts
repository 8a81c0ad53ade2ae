import type { Generated } from 'kysely'

/** An event. It is written in the transaction that causes it, and read in the order of `position`. */
export interface EventRow {
  id: Generated<number>
  /** The id by which receivers distinguish events; never used twice, not even after a restore. */
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
  checksum: Generated<number | null>
}

/** An endpoint that is notified of events. */
export interface WebhookRow {
  id: string
  project: string
  /** Null = all environments of the project. */
  environment_id: number | null
  url: string
  /** JSON: the types of events that it is notified of. */
  events: string
  format: 'json' | 'slack'
  /** Encrypted with the service's own secret. */
  secret: string
  /** The previous secret, which also signs until `previous_until`. */
  previous_secret: string | null
  previous_until: number | null
  state: 'active' | 'paused'
  /** Always 0 and never read: nodes of an older version keep the order of events if it is 1, its default. */
  ordered: 0
  /** The position of the last event that it was notified of, or that is retried separately. */
  position: number
  /** Consecutive failures, the time of the first one since a success, and when the next attempt is due. */
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
  /** The record that the event is about: erasing it removes the row. */
  entity_id: number | null
  kind: 'event' | 'redelivery' | 'test'
  at: number
  attempt: number
  outcome: 'delivered' | 'failed' | 'refused'
  status: number | null
  answer: string
  duration_ms: number
}

/** An event that an endpoint did not accept and that is retried separately, or was parked. */
export interface WebhookRetryRow {
  id: Generated<number>
  webhook_id: string
  event_id: string
  event_type: string
  /** The record that the event is about: erasing it removes the row. */
  entity_id: number | null
  attempts: number
  failing_since: number
  next_attempt_at: number
  /** When it was parked; null = it is still retried. */
  parked_at: number | null
  /** Why the last attempt failed, without the receiver's own words. */
  problem: string
}
