import type { EventType } from '@vitae/contract'
import type { WebhookDeliveryRow, WebhookRetryRow, WebhookRow } from '../../../database/tables/events.ts'
import { isoTime } from '../../../foundation/clock.ts'
import { nextAttemptAt } from './retry-time.ts'

export type WebhookFormat = 'json' | 'slack'

/** The operators' views of an endpoint, a parked event and an attempt; the schemas of the admin API describe them. */
export type WebhookView = ReturnType<typeof webhookView>
export type ParkedEventView = ReturnType<typeof parkedView>
export type DeliveryView = ReturnType<typeof deliveryView>

type ShownRow = Omit<WebhookRow, 'secret'> & { environment: string | null; retrying: number; parked: number }

/** The endpoint without its secret. */
export function webhookView(row: ShownRow) {
  return {
    id: row.id,
    project: row.project,
    environment: row.environment,
    url: row.url,
    // Checked before it was written.
    events: JSON.parse(row.events) as EventType[],
    format: row.format,
    state: row.state,
    problem: row.problem,
    attempts: row.attempts,
    retrying: Number(row.retrying),
    parked: Number(row.parked),
    failing_since: isoTime(row.failing_since),
    // 0: no pause, so its events are sent as they come.
    next_attempt_at: isoTime(nextAttemptAt(row) || null),
    created_at: isoTime(row.created_at),
  }
}

/** The attempt, with an id by which it can be requested. */
export function deliveryView(row: Omit<WebhookDeliveryRow, 'id'> & { id: number }) {
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

/** The event, with the id from which a list continues. */
export function parkedView(row: Omit<WebhookRetryRow, 'id'> & { id: number }) {
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
