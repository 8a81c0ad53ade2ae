import { deliveryOperations } from './delivery-operations.ts'
import { askedDeliveryOperations } from './endpoints/asked-delivery-operations.ts'
import { endpointOperations } from './endpoints/endpoint-operations.ts'
import { logOperations } from './log-operations.ts'

/** Everything that webhooks do in the store. */
export const webhookOperations = {
  ...deliveryOperations,
  ...logOperations,
  ...endpointOperations,
  ...askedDeliveryOperations,
}
export type WebhookOperations = typeof webhookOperations
