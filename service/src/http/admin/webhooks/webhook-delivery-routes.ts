import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { redeliver, retryParked, sendTest } from '../../../events/webhooks/endpoints/asked-deliveries.ts'
import { Failure } from '../../../foundation/failure.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { nextCursor, numberCursor, pageQuery } from '../pagination.ts'
import { Count, Cursor, orNull, Time } from '../schemas.ts'
import { projectOfWebhook, tag, WebhookId } from './webhook-routes.ts'
import { eventBody } from '../../../events/webhooks/event-body.ts'

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
  status: orNull(Type.Integer({ description: 'Of the receiver; null where it did not answer.' })),
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

/** Every attempt to notify a webhook of an event, and attempts that operators ask for. */
export function webhookDeliveryRoutes(app: FastifyInstance, deps: AppDeps): void {
  listDeliveriesRoute(app, deps)
  testRoute(app, deps)
  redeliverRoute(app, deps)
  listParkedRoute(app, deps)
  retryParkedRoute(app, deps)
}

const listDeliveriesRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'GET /webhooks/:id/deliveries',
  operationId: 'listWebhookDeliveries',
  summary: 'List the deliveries to a webhook, newest first',
  role: 'operator',
  params: WebhookId,
  query: Type.Object(pageQuery),
  response: Type.Object({ deliveries: Type.Array(Delivery), next_cursor: Cursor }),
  project: projectOfWebhook(deps),
  async handle({ params, query: { limit = 100, cursor } }) {
    const before = numberCursor(cursor)
    const deliveries = await deps.store.listDeliveries({ webhookId: params.id, limit, before })
    return { deliveries, next_cursor: nextCursor(deliveries, limit, ({ id }) => id.slice('dlv_'.length)) }
  },
}))

const testRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'POST /webhooks/:id/test',
  operationId: 'testWebhook',
  summary: 'Send a test event to a webhook now, and give how that ended',
  role: 'operator',
  params: WebhookId,
  response: Delivery,
  project: projectOfWebhook(deps),
  handle: ({ admin, params }) => sendTest(deps.webhooks, { webhookId: params.id, actor: admin.actor }),
}))

const redeliverRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'POST /webhooks/:id/redeliver',
  operationId: 'redeliverWebhook',
  summary: 'Send an event again now, and give how that ended',
  description:
    'The id is that of a webhook or of a delivery. For a webhook, `event` says which event; without it the last one that was tried.',
  role: 'operator',
  params: WebhookId,
  body: Type.Object({ event: Type.Optional(Type.String({ description: 'The id of an event or of a delivery.' })) }),
  response: Delivery,
  project: async ({ params }) =>
    projectOfWebhook(deps)({ params: { id: (await deliveryNamed(deps, params.id))?.webhook ?? params.id } }),
  async handle({ admin, params, body }) {
    const named = (await deliveryNamed(deps, params.id)) ?? (await deliveryNamed(deps, body.event ?? ''))
    const webhookId = (await deliveryNamed(deps, params.id))?.webhook ?? params.id
    const eventId = named?.event ?? body.event ?? (await lastTried(deps, webhookId))
    return redeliver(deps.webhooks, { webhookId, eventId, actor: admin.actor })
  },
}))

const listParkedRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'GET /webhooks/:id/parked',
  operationId: 'listParkedEvents',
  summary: 'List the events that were given up for a webhook after three days of retries, newest first',
  role: 'operator',
  params: WebhookId,
  query: Type.Object(pageQuery),
  response: Type.Object({ parked: Type.Array(ParkedEvent), next_cursor: Cursor }),
  project: projectOfWebhook(deps),
  async handle({ params, query: { limit = 100, cursor } }) {
    const parked = await deps.store.listParkedEvents({ webhookId: params.id, limit, before: numberCursor(cursor) })
    return { parked, next_cursor: nextCursor(parked, limit, ({ id }) => id) }
  },
}))

const retryParkedRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'POST /webhooks/:id/parked/retry',
  operationId: 'retryParkedEvents',
  summary: 'Send all parked events of a webhook again, each with new retries, and give how many they are',
  role: 'operator',
  params: WebhookId,
  response: Type.Object({ events: Count }),
  project: projectOfWebhook(deps),
  handle: async ({ admin, params }) => ({
    events: await retryParked(deps.webhooks, { webhookId: params.id, actor: admin.actor }),
  }),
}))

/** The delivery with this id; null where it is the id of something else. */
async function deliveryNamed({ store }: AppDeps, id: string) {
  const number = /^dlv_(\d{1,15})$/.exec(id)?.[1]
  return number === undefined ? null : store.showDelivery({ id: Number(number) })
}

async function lastTried({ store }: AppDeps, webhookId: string): Promise<string> {
  const recent = await store.listDeliveries({ webhookId, limit: 100, before: null })
  const last = recent.find(({ kind }) => kind !== 'test')
  if (last) return last.event
  throw new Failure('not_found', { detail: 'Nothing was delivered to this webhook yet: name an event.' })
}

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
  listWebhookQueueRoute(app, deps)
  skipWebhookEventRoute(app, deps)
  showWebhookPayloadRoute(app, deps)
}

const listWebhookQueueRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'GET /webhooks/:id/queue',
  operationId: 'listWebhookQueue',
  summary: 'What waits for a webhook: the events that are tried again, then those that come next; the first 100',
  role: 'operator',
  project: projectOfWebhook(deps),
  params: WebhookId,
  response: Type.Object({ events: Type.Array(Queued) }),
  handle: async ({ params }) => ({
    events: await deps.store.webhookQueue({ webhookId: params.id, limit: shownAtMost, now: deps.clock.now() }),
  }),
}))

const skipWebhookEventRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'POST /webhooks/:id/skip',
  operationId: 'skipWebhookEvent',
  summary: 'Leave an event out: the receiver is not notified of it any more',
  description:
    'One that is tried again or parked, or one that comes next; with it go those before it that were not sent yet.',
  role: 'operator',
  project: projectOfWebhook(deps),
  params: WebhookId,
  body: Type.Object({ event: Type.String({ maxLength: 100 }) }),
  response: Type.Object({ event: Type.String() }),
  async handle({ admin, params, body: { event } }) {
    await deps.store.skipWebhookEvent({
      webhookId: params.id,
      eventId: event,
      actor: admin.actor,
      at: deps.clock.now(),
    })
    return { event }
  },
}))

const showWebhookPayloadRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'GET /webhooks/:id/events/:event',
  operationId: 'showWebhookPayload',
  summary: 'What a webhook is sent of an event, byte for byte; audited, because it may be about a person',
  role: 'operator',
  project: projectOfWebhook(deps),
  params: Type.Object({ id: Type.String(), event: Type.String({ maxLength: 100 }) }),
  response: Type.Object({ event: Type.String(), type: Type.String(), body: Type.String() }),
  async handle({ admin, params }) {
    const look = { webhookId: params.id, eventId: params.event, actor: admin.actor, at: deps.clock.now() }
    const { webhook, event } = await deps.store.startEventLook(look)
    return { event: event.id, type: event.type, body: eventBody(webhook.format, event) }
  },
}))
