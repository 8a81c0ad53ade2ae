import { deliveryOperations } from './store/delivery-operations.ts'
import { askedDeliveryOperations } from './endpoints/asked-delivery-operations.ts'
import { endpointOperations } from './endpoints/endpoint-operations.ts'
import { queueOperations } from './endpoints/queue-operations.ts'
import { logOperations } from './store/log-operations.ts'
import { retryOperations } from './store/retry-operations.ts'

/** Everything that webhooks do in the store. */
export const webhookOperations = {
  ...deliveryOperations,
  ...logOperations,
  ...retryOperations,
  ...endpointOperations,
  ...askedDeliveryOperations,
  ...queueOperations,
}
export type WebhookOperations = typeof webhookOperations
