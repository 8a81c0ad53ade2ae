import type { Subject } from '../../database/engine/operation.ts'
import { deliveryOperations } from './store/delivery-operations.ts'
import { askedDeliveryOperations } from './endpoints/asked-delivery-operations.ts'
import { endpointOperations } from './endpoints/endpoint-operations.ts'
import { queueOperations } from './endpoints/queue-operations.ts'
import { logOperations } from './store/log-operations.ts'
import { retryOperations } from './store/retry-operations.ts'

/** All store operations of webhooks. */
export const webhookOperations = {
  ...deliveryOperations,
  ...logOperations,
  ...retryOperations,
  ...endpointOperations,
  ...askedDeliveryOperations,
  ...queueOperations,
}
export type WebhookStore = Subject<typeof webhookOperations>
