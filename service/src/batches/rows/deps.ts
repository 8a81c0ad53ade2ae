import type { AccountOperations } from '../../accounts/operations.ts'
import type { CreditOperations } from '../../credits/operations.ts'
import type { Store } from '../../database/engine/operation.ts'
import type { Clock } from '../../foundation/clock.ts'
import type { LoadGuard } from '../../foundation/pacing/load-guard.ts'
import type { Log } from '../../foundation/log.ts'
import type { Rate } from '../../foundation/rate.ts'
import type { LookupDeps } from '../../lookup/payment/deps.ts'
import type { RecordOperations } from '../../records/operations.ts'
import type { EndedCall } from '../../lookup/ended-call.ts'
import type { LeaseOperations } from '../../work/leases.ts'
import type { Scheduler } from '../../foundation/pacing/scheduler.ts'
import type { Uploads } from '../input/uploads.ts'
import type { BatchOperations } from '../store/batch-operations.ts'

/** Settings of batches, from the configuration. */
export interface BatchRules {
  rowsAtMost: number
  /** The maximum number of unfinished batches per environment. */
  openAtMost: number
  /** How long a batch is kept after its end, and the longest pause. */
  keptMs: number
}

/** The dependencies of batches. */
export interface BatchDeps {
  clock: Clock
  log: Log
  rules: BatchRules
  uploads: Uploads
  /** The same for previews. */
  previews: Uploads
  /** Orders the rows of this node beside other background work. */
  scheduler: Scheduler
  store: Store<BatchOperations & LeaseOperations> &
    Pick<Store<CreditOperations>, 'receipt'> &
    Pick<Store<AccountOperations>, 'findKey'> &
    Pick<Store<RecordOperations>, 'readFacts'>
  lookup: LookupDeps
  guard: Pick<LoadGuard, 'overloaded'>
  defaultRate: Rate
  platformHosts: readonly string[]
  callEnded(call: EndedCall): void
}
