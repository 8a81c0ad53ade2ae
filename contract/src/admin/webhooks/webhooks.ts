import Type, { type Static } from 'typebox'
import { eventTypes } from '../../events.ts'
import type { AdminOperationRows } from '../operation.ts'
import { Time, Cursor, pageQuery, orNull } from '../schemas.ts'

export const WebhookId = Type.Object({ id: Type.String() })
const Url = Type.String({
  maxLength: 2_000,
  description: 'https:, or http: into a network of VITAE_WEBHOOK_NETWORKS.',
})
// Not `uniqueItems`: that check takes quadratic time.
const Events = Type.Array(Type.Enum([...eventTypes]), { minItems: 1, maxItems: eventTypes.length })
const Format = Type.Enum(['json', 'slack'])
const Ordered = Type.Boolean({
  description:
    'True: an event waits until the previous one was accepted. False: a failed event is retried separately, and later events are sent.',
})
const State = Type.Enum(['active', 'paused'])
const webhook = {
  id: Type.String(),
  project: Type.String(),
  environment: orNull(Type.String({ description: 'Null: all environments of the project.' })),
  url: Type.String(),
  events: Events,
  format: Format,
  ordered: Ordered,
  state: State,
  problem: orNull(Type.String({ description: 'Why it fails or is paused.' })),
  attempts: Type.Integer({
    minimum: 0,
    description: 'Failures in a row; with `ordered` those of the event that is next.',
  }),
  retrying: Type.Integer({ minimum: 0, description: 'Events that are retried separately; 1,000 means 1,000 or more.' }),
  parked: Type.Integer({ minimum: 0, description: 'Events that were given up; 1,000 means 1,000 or more.' }),
  failing_since: orNull(Time),
  next_attempt_at: orNull(Time),
  created_at: Time,
}
const Webhook = Type.Object(webhook)
export type Webhook = Static<typeof Webhook>
const NewWebhook = Type.Object({ ...webhook, secret: Type.String({ description: 'Shown only here.' }) })
export type NewWebhook = Static<typeof NewWebhook>

/** Webhooks. Many receivers treat their URL as a secret, so only operators see it. */
export const webhookOperations = {
  listWebhooks: {
    route: 'GET /webhooks',
    summary: 'List webhooks',
    role: 'operator',
    scope: 'own part',
    query: Type.Object({
      project: Type.Optional(Type.String()),
      text: Type.Optional(Type.String({ maxLength: 300, description: 'Part of a URL or an id.' })),
      ...pageQuery,
    }),
    response: Type.Object({ webhooks: Type.Array(Webhook), next_cursor: Cursor }),
  },
  createWebhook: {
    route: 'POST /webhooks',
    summary: 'Make a webhook; the answer is the only place where its secret is ever shown',
    role: 'operator',
    scope: 'own project',
    status: 201,
    body: Type.Object({
      project: Type.String(),
      environment: Type.Optional(orNull(Type.String())),
      url: Url,
      events: Events,
      format: Type.Optional(Format),
      ordered: Type.Optional(Ordered),
    }),
    response: NewWebhook,
  },
  showWebhook: {
    route: 'GET /webhooks/:id',
    summary: 'Show a webhook',
    role: 'operator',
    scope: 'own project',
    params: WebhookId,
    response: Webhook,
  },
  updateWebhook: {
    route: 'PATCH /webhooks/:id',
    summary: 'Change, pause or resume a webhook',
    description: 'After a new URL or the state `active`, waiting events are sent at once.',
    role: 'operator',
    scope: 'own project',
    params: WebhookId,
    body: Type.Object({
      url: Type.Optional(Url),
      events: Type.Optional(Events),
      format: Type.Optional(Format),
      ordered: Type.Optional(Ordered),
      state: Type.Optional(State),
    }),
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
    summary: 'Set a new secret; the old one signs too for an overlap',
    role: 'operator',
    scope: 'own project',
    params: WebhookId,
    body: Type.Object({
      overlap: Type.Optional(Type.String({ description: 'Such as 24h, the default; 0s ends the old secret now.' })),
    }),
    response: NewWebhook,
  },
} satisfies AdminOperationRows
