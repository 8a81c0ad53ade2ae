import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { eventBody } from '../../../events/webhooks/event-body.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { Count, orNull, Time } from '../schemas.ts'
import { projectOfWebhook, tag, WebhookId } from './webhook-routes.ts'

const Queued = Type.Object({
  event: Type.String({ description: '`POST /webhooks/{id}/skip` and `/redeliver` take it.' }),
  type: Type.String(),
  since: Type.String({ format: 'date-time', description: 'When it happened, or since when it fails.' }),
  attempts: Count,
  next_attempt_at: orNull(Time),
  problem: orNull(Type.String({ description: 'Why the last attempt failed; null where none was made.' })),
})
const shownAtMost = 100

/** What waits for a webhook, what an event looks like on its way, and the way to leave one out. */
export function webhookQueueRoutes(app: FastifyInstance, deps: AppDeps): void {
  const { store, clock } = deps
  const common = { tag, role: 'operator', project: projectOfWebhook(deps) } as const
  adminRoute(app, {
    ...common,
    route: 'GET /webhooks/:id/queue',
    operationId: 'listWebhookQueue',
    summary: 'What waits for a webhook: the events that are tried again, then those that come next; the first 100',
    params: WebhookId,
    response: Type.Object({ events: Type.Array(Queued) }),
    handle: async ({ params }) => ({
      events: await store.webhookQueue({ webhookId: params.id, limit: shownAtMost, now: clock.now() }),
    }),
  })
  adminRoute(app, {
    ...common,
    route: 'POST /webhooks/:id/skip',
    operationId: 'skipWebhookEvent',
    summary: 'Leave an event out: the receiver is not notified of it any more',
    description:
      'One that is tried again or parked, or one that comes next; with it go those before it that were not sent yet.',
    params: WebhookId,
    body: Type.Object({ event: Type.String({ maxLength: 100 }) }),
    response: Type.Object({ event: Type.String() }),
    async handle({ admin, params, body: { event } }) {
      await store.skipWebhookEvent({ webhookId: params.id, eventId: event, actor: admin.actor, at: clock.now() })
      return { event }
    },
  })
  adminRoute(app, {
    ...common,
    route: 'GET /webhooks/:id/events/:event',
    operationId: 'showWebhookPayload',
    summary: 'What a webhook is sent of an event, byte for byte; audited, because it may be about a person',
    params: Type.Object({ id: Type.String(), event: Type.String({ maxLength: 100 }) }),
    response: Type.Object({ event: Type.String(), type: Type.String(), body: Type.String() }),
    async handle({ admin, params }) {
      const look = { webhookId: params.id, eventId: params.event, actor: admin.actor, at: clock.now() }
      const { webhook, event } = await store.startEventLook(look)
      return { event: event.id, type: event.type, body: eventBody(webhook.format, event) }
    },
  })
}
