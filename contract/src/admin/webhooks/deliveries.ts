import Type from 'typebox'
import { WebhookId } from './webhooks.ts'
import type { AdminOperationRows } from '../operation.ts'
import { Time, Count, Cursor, pageQuery, orNull } from '../schemas.ts'

const Delivery = Type.Object({
  id: Type.String(),
  webhook: Type.String(),
  event: Type.String(),
  type: Type.String(),
  kind: Type.Enum(['event', 'redelivery', 'test']),
  at: Time,
  attempt: Count,
  outcome: Type.Enum(['delivered', 'failed', 'refused'], {
    description: '`refused`: nothing was sent, because the address is not allowed.',
  }),
  status: orNull(Type.Integer({ description: 'The HTTP status of the receiver; null if it did not answer.' })),
  answer: Type.String({ description: 'The beginning of its answer, or what went wrong.' }),
  duration_ms: Count,
})
const ParkedEvent = Type.Object({
  id: Type.String(),
  event: Type.String({ description: '`POST /webhooks/{id}/redeliver` takes it.' }),
  type: Type.String(),
  attempts: Count,
  failing_since: Time,
  parked_at: Time,
  problem: Type.String({ description: 'Why the last attempt failed.' }),
})
const Queued = Type.Object({
  event: Type.String({ description: '`POST /webhooks/{id}/skip` and `/redeliver` take it.' }),
  type: Type.String(),
  since: Type.String({ format: 'date-time', description: 'When it happened, or since when it fails.' }),
  attempts: Count,
  next_attempt_at: orNull(Time),
  problem: orNull(Type.String({ description: 'Why the last attempt failed; null before the first attempt.' })),
})

/** Delivery attempts of webhooks, and deliveries that operators request. */
export const webhookDeliveryOperations = {
  listWebhookDeliveries: {
    route: 'GET /webhooks/:id/deliveries',
    summary: 'List the deliveries to a webhook, newest first',
    role: 'operator',
    scope: 'own project',
    params: WebhookId,
    query: Type.Object(pageQuery),
    response: Type.Object({ deliveries: Type.Array(Delivery), next_cursor: Cursor }),
  },
  testWebhook: {
    route: 'POST /webhooks/:id/test',
    summary: 'Send a test event to a webhook now, and return the outcome',
    role: 'operator',
    scope: 'own project',
    params: WebhookId,
    response: Delivery,
  },
  redeliverWebhook: {
    route: 'POST /webhooks/:id/redeliver',
    summary: 'Send an event again now, and return the outcome',
    description:
      'The id is that of a webhook or of a delivery. For a webhook, `event` says which event; without it the last one that was tried.',
    role: 'operator',
    scope: 'own project',
    params: WebhookId,
    body: Type.Object({ event: Type.Optional(Type.String({ description: 'The id of an event or of a delivery.' })) }),
    response: Delivery,
  },
  listParkedEvents: {
    route: 'GET /webhooks/:id/parked',
    summary: 'List the events that were given up for a webhook after three days of retries, newest first',
    role: 'operator',
    scope: 'own project',
    params: WebhookId,
    query: Type.Object(pageQuery),
    response: Type.Object({ parked: Type.Array(ParkedEvent), next_cursor: Cursor }),
  },
  retryParkedEvents: {
    route: 'POST /webhooks/:id/parked/retry',
    summary: 'Send all parked events of a webhook again, each with new retries, and return their number',
    role: 'operator',
    scope: 'own project',
    params: WebhookId,
    response: Type.Object({ events: Count }),
  },
  listWebhookQueue: {
    route: 'GET /webhooks/:id/queue',
    summary: 'List the first 100 waiting events of a webhook: retries first, then the next ones',
    role: 'operator',
    scope: 'own project',
    params: WebhookId,
    response: Type.Object({ events: Type.Array(Queued) }),
  },
  skipWebhookEvent: {
    route: 'POST /webhooks/:id/skip',
    summary: 'Skip an event: the receiver is not notified of it',
    description:
      'Takes an event that is being retried, parked or still waiting. Skipping a waiting event also skips the unsent events before it.',
    role: 'operator',
    scope: 'own project',
    params: WebhookId,
    body: Type.Object({ event: Type.String({ maxLength: 100 }) }),
    response: Type.Object({ event: Type.String() }),
  },
  showWebhookPayload: {
    route: 'GET /webhooks/:id/events/:event',
    summary: 'What a webhook is sent of an event, byte for byte; audited, because it may be about a person',
    role: 'operator',
    scope: 'own project',
    params: Type.Object({ id: Type.String(), event: Type.String({ maxLength: 100 }) }),
    response: Type.Object({ event: Type.String(), type: Type.String(), body: Type.String() }),
  },
} satisfies AdminOperationRows
