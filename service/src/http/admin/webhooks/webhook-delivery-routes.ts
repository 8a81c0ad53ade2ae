import { redeliver, retryParked, sendTest } from '../../../events/webhooks/asked-deliveries.ts'
import { Failure } from '../../../foundation/failure.ts'
import type { AppDeps } from '../../exchange/deps.ts'
import { nextCursor, numberCursor } from '../route/pagination.ts'
import { findWebhook } from './webhook-routes.ts'
import { eventBody } from '../../../events/webhooks/delivery/event-body.ts'
import type { AdminHandlers } from '../route/admin-route.ts'

/** Delivery attempts of webhooks, and deliveries that operators request. */
export const webhookDeliveryHandlers = {
  listWebhookDeliveries: {
    find: findWebhook,
    async handle({ params, query: { limit = 100, cursor } }, deps) {
      const before = numberCursor(cursor)
      const deliveries = await deps.store.webhooks.listDeliveries({ webhookId: params.id, limit, before })
      return { deliveries, next_cursor: nextCursor(deliveries, limit, ({ id }) => id.slice('dlv_'.length)) }
    },
  },

  testWebhook: {
    find: findWebhook,
    handle: ({ admin, params }, deps) => sendTest(deps.webhooks, { webhookId: params.id, actor: admin.actor }),
  },

  redeliverWebhook: {
    find: async ({ params }, deps) =>
      findWebhook({ params: { id: (await deliveryNamed(deps, params.id))?.webhook ?? params.id } }, deps),
    async handle({ admin, params, body }, deps) {
      const named = (await deliveryNamed(deps, params.id)) ?? (await deliveryNamed(deps, body.event ?? ''))
      const webhookId = (await deliveryNamed(deps, params.id))?.webhook ?? params.id
      const eventId = named?.event ?? body.event ?? (await lastTried(deps, webhookId))
      return redeliver(deps.webhooks, { webhookId, eventId, actor: admin.actor })
    },
  },

  listParkedEvents: {
    find: findWebhook,
    async handle({ params, query: { limit = 100, cursor } }, deps) {
      const parked = await deps.store.webhooks.listParkedEvents({
        webhookId: params.id,
        limit,
        before: numberCursor(cursor),
      })
      return { parked, next_cursor: nextCursor(parked, limit, ({ id }) => id) }
    },
  },

  retryParkedEvents: {
    find: findWebhook,
    handle: async ({ admin, params }, deps) => ({
      events: await retryParked(deps.webhooks, { webhookId: params.id, actor: admin.actor }),
    }),
  },

  listWebhookQueue: {
    find: findWebhook,
    handle: async ({ params }, deps) => ({
      events: await deps.store.webhooks.webhookQueue({
        webhookId: params.id,
        limit: shownAtMost,
        now: deps.clock.now(),
      }),
    }),
  },

  skipWebhookEvent: {
    find: findWebhook,
    async handle({ admin, params, body: { event } }, deps) {
      await deps.store.webhooks.skipWebhookEvent({
        webhookId: params.id,
        eventId: event,
        actor: admin.actor,
        at: deps.clock.now(),
      })
      return { event }
    },
  },

  showWebhookPayload: {
    find: findWebhook,
    async handle({ admin, params }, deps) {
      const look = { webhookId: params.id, eventId: params.event, actor: admin.actor, at: deps.clock.now() }
      const { webhook, event } = await deps.store.webhooks.openEvent({ ...look, to: 'look' })
      return { event: event.id, type: event.type, body: eventBody(webhook.format, event) }
    },
  },
} satisfies Partial<AdminHandlers>

/** The delivery with this id; null if the id is not a delivery's. */
async function deliveryNamed({ store }: AppDeps, id: string) {
  const number = /^dlv_(\d{1,15})$/.exec(id)?.[1]
  return number === undefined ? null : store.webhooks.showDelivery({ id: Number(number) })
}

async function lastTried({ store }: AppDeps, webhookId: string): Promise<string> {
  const recent = await store.webhooks.listDeliveries({ webhookId, limit: 100, before: null })
  const last = recent.find(({ kind }) => kind !== 'test')
  if (last) return last.event
  throw new Failure('not_found', { detail: 'Nothing was delivered to this webhook yet: name an event.' })
}

const shownAtMost = 100
