import { accountOperations } from './accounts/operations.ts'
import { creditOperations } from './credits/operations.ts'
import { nodeOperations } from './foundation/node-operations.ts'
import { auditOperations } from './foundation/audit-operations.ts'
import { backupOperations } from './foundation/backup-operations.ts'
import { inspectOperations } from './foundation/inspect-operations.ts'
import { recordOperations } from './records/operations.ts'
import { upstreamOperations } from './upstream/operations.ts'

/** Every operation on the store, of all rooms. The store's thread loads this module by its address. */
export const operations = {
  ...accountOperations,
  ...creditOperations,
  ...recordOperations,
  ...upstreamOperations,
  ...auditOperations,
  ...backupOperations,
  ...inspectOperations,
  ...nodeOperations,
}
