import { accountOperations } from '../../accounts/operations.ts'
import { creditOperations } from '../../credits/operations.ts'
import { nodeOperations } from '../../cluster/node-operations.ts'
import { eventOperations } from '../../events/operations.ts'
import { auditOperations } from '../../audit/audit-operations.ts'
import { backupOperations } from '../../database/backup-operations.ts'
import { inspectOperations } from '../../database/inspect-operations.ts'
import { batchOperations } from '../../batches/store/batch-operations.ts'
import { lifecycleOperations } from '../../lifecycle/store/operations.ts'
import { recordOperations } from '../../records/operations.ts'
import { watchOperations } from '../../watches/store/operations.ts'
import { exportOperations } from '../../lifecycle/exports/export-operations.ts'
import { leaseOperations } from '../../work/leases.ts'
import { providerOperations } from '../../providers/operations.ts'

/** Every operation on the store, of all subjects. The store's thread loads this module by its URL. */
export const operations = {
  ...accountOperations,
  ...creditOperations,
  ...recordOperations,
  ...lifecycleOperations,
  ...watchOperations,
  ...batchOperations,
  ...providerOperations,
  ...auditOperations,
  ...eventOperations,
  ...backupOperations,
  ...inspectOperations,
  ...nodeOperations,
  ...leaseOperations,
  ...exportOperations,
}
