import { keyOperations } from './key-operations.ts'
import { projectOperations } from './project-operations.ts'
import { sessionOperations } from './session-operations.ts'
import { tokenOperations } from './token-operations.ts'

/** All store operations of this folder. */
export const accountOperations = {
  ...projectOperations,
  ...keyOperations,
  ...tokenOperations,
  ...sessionOperations,
}
export type AccountOperations = typeof accountOperations
