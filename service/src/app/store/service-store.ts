import type { Store } from '../../database/store.ts'
import { moduleUrl } from '../../foundation/module-url.ts'
import type { operations } from './operations.ts'

/** The whole store, with the operations of all subjects. */
export type ServiceStore = Store<typeof operations>

/** The module with all operations, by its address: the store's thread loads it. */
export const operationsModule = moduleUrl('./operations', import.meta.url).href
