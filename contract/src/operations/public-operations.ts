import { accountOperations } from './account.ts'
import { batchOperations } from './batches.ts'
import { eventOperations } from './events.ts'
import { healthOperations } from './health.ts'
import { lookupOperations } from './lookups.ts'
import { matchOperations } from './match.ts'
import { recordOperations } from './records.ts'
import { watchOperations } from './watches.ts'

export { accountOperations, batchOperations, eventOperations, healthOperations, lookupOperations, matchOperations }
export { recordOperations, watchOperations }
export { routeParts, type PublicRow } from './row.ts'

/** Operations for holders of an API key, other than the two lookups. */
export const callerOperations = {
  ...recordOperations,
  ...accountOperations,
  ...matchOperations,
  ...watchOperations,
  ...eventOperations,
  ...batchOperations,
}

/** Every operation of the public API, by its id. */
export const publicOperations = { ...lookupOperations, ...callerOperations, ...healthOperations }
