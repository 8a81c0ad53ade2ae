import { deliveryOperations } from './delivery-operations.ts'
import { logOperations } from './log-operations.ts'

/** Everything that webhooks do in the store. */
export const webhookOperations = { ...deliveryOperations, ...logOperations }
export type WebhookOperations = typeof webhookOperations
