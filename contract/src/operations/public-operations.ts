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

/** The operations with an API key, except the two lookups. */
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

type Route = (typeof publicOperations)[keyof typeof publicOperations]['route']
type Filled<Path extends string> = Path extends `${infer Start}/:${string}` ? `${Start}/${string}` : Path

/** The GET paths with ids filled in. The compiler reports a use of a route that has changed. */
export type ReadPath = Route extends infer R ? (R extends `GET ${infer Path}` ? Filled<Path> : never) : never
