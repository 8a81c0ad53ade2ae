import type { EventType } from '@vitae/contract'
import type { WebhookDeliveryRow, WebhookRow } from '../../database/tables/events.ts'

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
  state: 'active' | 'paused'
  /** Why it fails or is paused. */
  problem: string | null
  /** Failed attempts for the event that is next. */
  attempts: number
  failing_since: string | null
  next_attempt_at: string | null
  created_at: string
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

/** The endpoint without its secret. */
export function webhookView(row: Omit<WebhookRow, 'secret'> & { environment: string | null }): WebhookView {
  const failing = row.failing_since !== null
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
    failing_since: timeOf(row.failing_since),
    next_attempt_at: failing && row.state === 'active' ? timeOf(row.next_attempt_at) : null,
    created_at: new Date(row.created_at).toISOString(),
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
    at: new Date(row.at).toISOString(),
    attempt: row.attempt,
    outcome: row.outcome,
    status: row.status,
    answer: row.answer,
    duration_ms: row.duration_ms,
  }
}

function timeOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
