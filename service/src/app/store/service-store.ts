import type { Store } from '../../database/engine/operation.ts'
import type { SuppressionChanges } from '../../lifecycle/store/operations.ts'
import type { CountedOperations } from '../../providers/call-counts.ts'
import { moduleUrl } from '../../foundation/module-url.ts'
import type { operations } from './operations.ts'

/** The whole store, with the operations of all subjects. */
export type WholeStore = Store<typeof operations>

/** The same without what `SuppressionList` and `CallCounts` own: only they use these operations. */
export type ServiceStore = Omit<WholeStore, keyof SuppressionChanges | keyof CountedOperations>

/** The URL of the module with all operations: the store's thread loads it. */
export const operationsModule = moduleUrl('./operations', import.meta.url).href
