import type { LeaseStore } from '../work/leases.ts'
import type { ExportStore } from '../lifecycle/exports/export-operations.ts'
import type { WatchStore } from '../watches/store/operations.ts'
import type { BatchStore } from '../batches/store/batch-operations.ts'
import type { SessionStore } from '../accounts/session-operations.ts'
import type { TokenStore } from '../accounts/token-operations.ts'
import type { KeyStore } from '../accounts/key-operations.ts'
import type { ProjectStore } from '../accounts/project-operations.ts'
import type { Role } from '@vitae/contract/admin'
import type { ClockSkew } from '../cluster/database-clock.ts'
import type { Clock } from '../foundation/clock.ts'
import type { LifecycleStore } from '../lifecycle/store/operations.ts'
import type { LookupStore } from '../lookup/payment/save-and-settle.ts'
import type { CallCounts } from '../providers/call-counts.ts'
import type { Providers } from '../providers/describe-providers.ts'

/** The store as operators see it. */
export type OperatorStore = LifecycleStore & {
  projects: ProjectStore
  keys: KeyStore
  tokens: TokenStore
  sessions: SessionStore
  batches: BatchStore
  watches: WatchStore
  lookups: LookupStore
  leases: LeaseStore
  exports: ExportStore
}

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
