import type { AuditStore } from '../../audit/audit-operations.ts'
import type { WebhookStore } from './operations.ts'
import { randomBytes } from 'node:crypto'
import { attemptDelivery, type AttemptDeps } from './attempt.ts'
import type { SentEvent } from './delivery/event-body.ts'
import type { DeliveryView } from './delivery/webhook.ts'
import { isoTime } from '../../foundation/clock.ts'

export interface AskedDeliveryDeps extends AttemptDeps {
  store: {
    webhooks: WebhookStore
    audit: Pick<AuditStore, 'recordAudit'>
  }
}

/** Sends a test event on behalf of an operator. */
export async function sendTest(
  deps: AskedDeliveryDeps,
  args: { webhookId: string; actor: string },
): Promise<DeliveryView> {
  const at = deps.clock.now()
  const { environment, ...webhook } = await deps.store.webhooks.startTestDelivery({ ...args, at })
  const event: SentEvent = {
    id: `evt_test_${randomBytes(12).toString('hex')}`,
    type: 'webhook.test',
    at: isoTime(at),
    project: webhook.project,
    environment,
    data: { message: 'A test: nothing has happened.' },
  }
  return asked(deps, await attemptDelivery(deps, { webhook, event, kind: 'test', position: null, entityId: null }))
}

/** Sends an event again on behalf of an operator. */
export async function redeliver(
  deps: AskedDeliveryDeps,
  args: { webhookId: string; eventId: string; actor: string },
): Promise<DeliveryView> {
  const found = await deps.store.webhooks.openEvent({ ...args, to: 'redeliver', at: deps.clock.now() })
  return asked(deps, await attemptDelivery(deps, { ...found, kind: 'redelivery', position: null }))
}

async function asked(
  deps: AskedDeliveryDeps,
  { result, deliveryId }: Awaited<ReturnType<typeof attemptDelivery>>,
): Promise<DeliveryView> {
  const delivery = await deps.store.webhooks.showDelivery({ id: deliveryId ?? 0 })
  // The receiver answers again, so waiting events are retried now.
  if (result.outcome === 'delivered') await retryAll(deps, { webhookId: delivery.webhook, which: 'waiting' })
  return delivery
}

/** Sends the parked events of an endpoint again; returns their number. Audited. */
export async function retryParked(
  deps: AskedDeliveryDeps,
  { webhookId, actor }: { webhookId: string; actor: string },
): Promise<number> {
  await deps.store.audit.recordAudit({
    at: deps.clock.now(),
    actor,
    action: 'webhook.retry_parked',
    subject: webhookId,
  })
  return retryAll(deps, { webhookId, which: 'parked' })
}

/**
 * Makes the waiting or parked events of an endpoint due at once, in chunks: there may be a million, and others use the
 * store too.
 */
export async function retryAll(
  { store, clock }: AskedDeliveryDeps,
  args: { webhookId: string; which: 'waiting' | 'parked' },
): Promise<number> {
  const at = clock.now()
  let sum = 0
  for (;;) {
    const { moved } = await store.webhooks.retryNow({ ...args, at })
    if (moved === 0) return sum
    sum += moved
  }
}
