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
    description: '`refused` means that nothing was sent, because the address of the receiver is not allowed.',
  }),
  status: orNull(
    Type.Integer({ description: 'The HTTP status that the receiver returned; null if the receiver did not answer.' }),
  ),
  answer: Type.String({
    description: 'The beginning of the receiver’s answer, or the reason why the delivery failed.',
  }),
  duration_ms: Count,
})
const ParkedEvent = Type.Object({
  id: Type.String(),
  event: Type.String({
    description: 'The id of the event. Send it to `POST /webhooks/{id}/redeliver` to deliver the event again.',
  }),
  type: Type.String(),
  attempts: Count,
  failing_since: Time,
  parked_at: Time,
  problem: Type.String({ description: 'The reason why the last attempt failed.' }),
})
const Queued = Type.Object({
  event: Type.String({ description: 'The id of the event. Send it to `POST /webhooks/{id}/skip` or `/redeliver`.' }),
  type: Type.String(),
  since: Type.String({
    format: 'date-time',
    description: 'The time of the first failed delivery, or of the event if none has failed.',
  }),
  attempts: Count,
  next_attempt_at: orNull(Time),
  problem: orNull(
    Type.String({ description: 'The reason why the last attempt failed; null before the first attempt.' }),
  ),
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
    summary: 'Send a test event to a webhook now, and return the result',
    role: 'operator',
    scope: 'own project',
    params: WebhookId,
    response: Delivery,
  },
  redeliverWebhook: {
    route: 'POST /webhooks/:id/redeliver',
    summary: 'Send an event to a webhook again now, and return the result',
    description:
      '`id` is the id of a webhook or of a delivery. With the id of a webhook, `event` names the event to send; if left out, the event of the last attempt is sent.',
    role: 'operator',
    scope: 'own project',
    params: WebhookId,
    body: Type.Object({
      event: Type.Optional(Type.String({ description: 'The id of an event, or of a delivery of the event.' })),
    }),
    response: Delivery,
  },
  listParkedEvents: {
    route: 'GET /webhooks/:id/parked',
    summary: 'List the parked events of a webhook, newest first: events that were given up after three days of retries',
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
    summary: 'List the first 100 waiting events of a webhook: events to retry first, then events not sent yet',
    role: 'operator',
    scope: 'own project',
    params: WebhookId,
    response: Type.Object({ events: Type.Array(Queued) }),
  },
  skipWebhookEvent: {
    route: 'POST /webhooks/:id/skip',
    summary: 'Skip an event, so that the webhook never sends it',
    description:
      'The event may be in retry, parked or still waiting. Skipping a waiting event also skips the unsent events before it.',
    role: 'operator',
    scope: 'own project',
    params: WebhookId,
    body: Type.Object({ event: Type.String({ maxLength: 100 }) }),
    response: Type.Object({ event: Type.String() }),
  },
  showWebhookPayload: {
    route: 'GET /webhooks/:id/events/:event',
    summary: 'Show the exact body that a webhook sends for an event',
    description: 'This read is audited, because the body may be about a person.',
    role: 'operator',
    scope: 'own project',
    params: Type.Object({ id: Type.String(), event: Type.String({ maxLength: 100 }) }),
    response: Type.Object({ event: Type.String(), type: Type.String(), body: Type.String() }),
  },
} satisfies AdminOperationRows
