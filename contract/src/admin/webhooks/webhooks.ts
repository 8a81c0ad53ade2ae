import Type, { type Static } from 'typebox'
import { eventTypes } from '../../events.ts'
import type { AdminOperationRows } from '../operation.ts'
import { Time, Cursor, pageQuery, orNull } from '../schemas.ts'

export const WebhookId = Type.Object({ id: Type.String() })
const Url = Type.String({
  maxLength: 2_000,
  description:
    'The URL of the receiver. It begins with https:, or with http: if its address is in a network of VITAE_WEBHOOK_NETWORKS.',
})
// Not `uniqueItems`: that check takes quadratic time.
const Events = Type.Array(Type.Enum([...eventTypes]), { minItems: 1, maxItems: eventTypes.length })
const Format = Type.Enum(['json', 'slack'])
const State = Type.Enum(['active', 'paused'])
const webhook = {
  id: Type.String(),
  project: Type.String(),
  environment: orNull(
    Type.String({ description: 'The environment whose events are sent; null = all environments of the project.' }),
  ),
  url: Type.String({
    description:
      'The URL. The roles viewer and billing see only its origin and `/…`, because the path may be a secret.',
  }),
  events: Events,
  format: Format,
  state: State,
  problem: orNull(
    Type.String({ description: 'The reason why deliveries fail or the webhook is paused; null if it works.' }),
  ),
  attempts: Type.Integer({ minimum: 0, description: 'The number of failed attempts in a row.' }),
  retrying: Type.Integer({
    minimum: 0,
    description: 'The number of failed events that are being retried; 1,000 means 1,000 or more.',
  }),
  parked: Type.Integer({
    minimum: 0,
    description: 'The number of events that were given up after three days of retries; 1,000 means 1,000 or more.',
  }),
  failing_since: orNull(Time),
  next_attempt_at: orNull(Time),
  created_at: Time,
}
const Webhook = Type.Object(webhook)
export type Webhook = Static<typeof Webhook>
const NewWebhook = Type.Object({
  ...webhook,
  secret: Type.String({ description: 'The secret that signs deliveries. Only this response shows it.' }),
})
export type NewWebhook = Static<typeof NewWebhook>

/** Webhooks. Many receivers treat their URL as a secret, so only operators see all of it. */
export const webhookOperations = {
  listWebhooks: {
    route: 'GET /webhooks',
    summary: 'List webhooks',
    role: 'viewer',
    scope: 'own part',
    query: Type.Object({
      project: Type.Optional(Type.String()),
      text: Type.Optional(
        Type.String({
          maxLength: 300,
          description: 'Only webhooks whose id contains this text; for operators also those whose URL contains it.',
        }),
      ),
      ...pageQuery,
    }),
    response: Type.Object({ webhooks: Type.Array(Webhook), next_cursor: Cursor }),
  },
  createWebhook: {
    route: 'POST /webhooks',
    summary: 'Create a webhook; only this response shows its secret',
    role: 'operator',
    scope: 'own project',
    status: 201,
    body: Type.Object(
      {
        project: Type.String(),
        environment: Type.Optional(orNull(Type.String())),
        url: Url,
        events: Events,
        format: Type.Optional(Format),
      },
      { additionalProperties: false },
    ),
    response: NewWebhook,
  },
  showWebhook: {
    route: 'GET /webhooks/:id',
    summary: 'Show a webhook',
    role: 'viewer',
    scope: 'own project',
    params: WebhookId,
    response: Webhook,
  },
  updateWebhook: {
    route: 'PATCH /webhooks/:id',
    summary: 'Change, pause or resume a webhook',
    description: 'If the URL changes or the state becomes `active`, waiting events are sent at once.',
    role: 'operator',
    scope: 'own project',
    params: WebhookId,
    body: Type.Object(
      {
        url: Type.Optional(Url),
        events: Type.Optional(Events),
        format: Type.Optional(Format),
        state: Type.Optional(State),
      },
      { additionalProperties: false },
    ),
    response: Webhook,
  },
  deleteWebhook: {
    route: 'DELETE /webhooks/:id',
    summary: 'Delete a webhook and the log of its deliveries',
    role: 'operator',
    scope: 'own project',
    params: WebhookId,
    response: Webhook,
  },
  rotateWebhook: {
    route: 'POST /webhooks/:id/rotate',
    summary: 'Create a new secret; during an overlap both secrets sign',
    role: 'operator',
    scope: 'own project',
    params: WebhookId,
    body: Type.Object({
      overlap: Type.Optional(
        Type.String({
          description:
            'The time during which the old secret still signs too, such as 24h, the default. 0s ends the old secret now.',
        }),
      ),
    }),
    response: NewWebhook,
  },
} satisfies AdminOperationRows
