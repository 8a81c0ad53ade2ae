import type { Store } from '../../database/engine/operation.ts'
import { moduleUrl } from '../../foundation/module-url.ts'
import type { operations } from './operations.ts'

/** The store with all subjects. */
export type WholeStore = Store<typeof operations>

/** The same without the subjects that only `SuppressionList` and `CallCounts` use. */
export type ServiceStore = Omit<WholeStore, 'suppressionChanges' | 'callCounts'>

/** The URL of the module with all operations: the store's thread loads it. */
export const operationsModule = moduleUrl('./operations', import.meta.url).href
