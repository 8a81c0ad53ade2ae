import type { Role } from '@vitae/contract/admin'
import type { AccountOperations } from '../accounts/operations.ts'
import type { BatchOperations } from '../batches/store/batch-operations.ts'
import type { ClockSkew } from '../cluster/database-clock.ts'
import type { Store } from '../database/engine/operation.ts'
import type { Clock } from '../foundation/clock.ts'
import type { ExportOperations } from '../lifecycle/exports/export-operations.ts'
import type { LifecycleStore } from '../lifecycle/store/operations.ts'
import type { CallCounts } from '../providers/call-counts.ts'
import type { Providers } from '../providers/describe-providers.ts'
import type { LeaseOperations } from '../work/leases.ts'
import type { WatchOperations } from '../watches/store/operations.ts'

/** The store as operators see it. */
export type OperatorStore = LifecycleStore &
  Store<AccountOperations & BatchOperations & WatchOperations & LeaseOperations & ExportOperations>

/** The acting admin: `actor` is the name in the audit log, `project` limits a token to one project. */
export interface Admin {
  actor: string
  role: Role
  project: string | null
}

/** The dependencies of operator functions. */
export interface OperatorDeps {
  clock: Clock
  store: OperatorStore
  platformHosts: readonly string[]
  lookup: { secret: string }
  providers: Providers
  callCounts: CallCounts
  callsWritten(): Promise<void>
  lateBackup(): string | null
  clockSkew(): ClockSkew | null
  diskRoom(): { freeBytes: number; totalBytes: number } | null
}
