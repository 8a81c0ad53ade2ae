import type { EventType } from '@vitae/contract'
import type { WebhookDeliveryRow, WebhookRetryRow, WebhookRow } from '../../database/tables/events.ts'
import { isoTime } from '../../foundation/clock.ts'

export const webhookFormats = ['json', 'slack'] as const
export type WebhookFormat = (typeof webhookFormats)[number]

/** An endpoint as operators see it: everything but its secret. */
export interface WebhookView {
  id: string
  project: string
  environment: string | null
  url: string
  events: EventType[]
  format: WebhookFormat
  /** Whether an event waits until the one before it was accepted. */
  ordered: boolean
  state: 'active' | 'paused'
  /** Why it fails or is paused. */
  problem: string | null
  /** Failures in a row; with `ordered` those of the event that is next. */
  attempts: number
  /** Events that are tried again apart from the others, and those that were given up; 1,000 stands for more too. */
  retrying: number
  parked: number
  failing_since: string | null
  next_attempt_at: string | null
  created_at: string
}

/** An event that was given up, as operators see it. */
export interface ParkedEventView {
  id: string
  event: string
  type: string
  attempts: number
  failing_since: string
  parked_at: string
  problem: string
}

/** One attempt as operators see it. */
export interface DeliveryView {
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

type ShownRow = Omit<WebhookRow, 'secret'> & { environment: string | null; retrying: number; parked: number }

/** The endpoint without its secret. */
export function webhookView(row: ShownRow): WebhookView {
  const failing = row.failing_since !== null
  return {
    id: row.id,
    project: row.project,
    environment: row.environment,
    url: row.url,
    // Checked before it was written.
    events: JSON.parse(row.events) as EventType[],
    format: row.format,
    ordered: row.ordered === 1,
    state: row.state,
    problem: row.problem,
    attempts: row.attempts,
    retrying: Number(row.retrying),
    parked: Number(row.parked),
    failing_since: isoTime(row.failing_since),
    next_attempt_at: failing && row.state === 'active' ? isoTime(row.next_attempt_at) : null,
    created_at: isoTime(row.created_at),
  }
}

/** The attempt with a name that it can be asked for by. */
export function deliveryView(row: Omit<WebhookDeliveryRow, 'id'> & { id: number }): DeliveryView {
  return {
    id: `dlv_${row.id}`,
    webhook: row.webhook_id,
    event: row.event_id,
    type: row.event_type,
    kind: row.kind,
    at: isoTime(row.at),
    attempt: row.attempt,
    outcome: row.outcome,
    status: row.status,
    answer: row.answer,
    duration_ms: row.duration_ms,
  }
}

/** The event with a name that a list goes on behind. */
export function parkedView(row: Omit<WebhookRetryRow, 'id'> & { id: number }): ParkedEventView {
  return {
    id: String(row.id),
    event: row.event_id,
    type: row.event_type,
    attempts: row.attempts,
    failing_since: isoTime(row.failing_since),
    parked_at: isoTime(row.parked_at ?? 0),
    problem: row.problem,
  }
}
