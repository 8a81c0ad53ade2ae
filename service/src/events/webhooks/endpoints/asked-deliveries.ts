import { randomBytes } from 'node:crypto'
import type { Store } from '../../../database/store.ts'
import { attemptDelivery, type AttemptDeps } from '../attempt.ts'
import type { SentEvent } from '../event-body.ts'
import type { WebhookOperations } from '../operations.ts'
import type { DeliveryView } from '../webhook.ts'
import type { askedDeliveryOperations } from './asked-delivery-operations.ts'

export interface AskedDeliveryDeps extends AttemptDeps {
  store: Store<WebhookOperations & typeof askedDeliveryOperations>
}

/** Sends a test event, as an operator asks for it. */
export async function sendTest(
  deps: AskedDeliveryDeps,
  args: { webhookId: string; actor: string },
): Promise<DeliveryView> {
  const at = deps.clock.now()
  const { environment, ...webhook } = await deps.store.startTestDelivery({ ...args, at })
  const event: SentEvent = {
    id: `evt_test_${randomBytes(12).toString('hex')}`,
    type: 'webhook.test',
    at: new Date(at).toISOString(),
    project: webhook.project,
    environment,
    data: { message: 'A test: nothing has happened.' },
  }
  return asked(deps, await attemptDelivery(deps, { webhook, event, kind: 'test', position: null, entityId: null }))
}

/** Sends an event again, as an operator asks for it. */
export async function redeliver(
  deps: AskedDeliveryDeps,
  args: { webhookId: string; eventId: string; actor: string },
): Promise<DeliveryView> {
  const found = await deps.store.startRedelivery({ ...args, at: deps.clock.now() })
  return asked(deps, await attemptDelivery(deps, { ...found, kind: 'redelivery', position: null }))
}

async function asked(
  { store }: AskedDeliveryDeps,
  { deliveryId }: { deliveryId: number | null },
): Promise<DeliveryView> {
  return store.showDelivery({ id: deliveryId ?? 0 })
}
