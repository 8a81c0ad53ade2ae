import type { LeaseStore } from '../../work/leases.ts'
import type { BatchStore } from '../store/batch-operations.ts'
import type { RecordStore } from '../../records/operations.ts'
import type { CreditStore } from '../../credits/operations.ts'
import type { KeyStore } from '../../accounts/key-operations.ts'
import type { Clock } from '../../foundation/clock.ts'
import type { LoadGuard } from '../../foundation/pacing/load-guard.ts'
import type { Log } from '../../foundation/log.ts'
import type { Rate } from '../../foundation/rate.ts'
import type { LookupDeps } from '../../lookup/payment/deps.ts'
import type { EndedCall } from '../../lookup/ended-call.ts'
import type { Scheduler } from '../../foundation/pacing/scheduler.ts'
import type { Uploads } from '../input/uploads.ts'

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
  store: {
    batches: BatchStore
    leases: LeaseStore
    credits: Pick<CreditStore, 'receipt'>
    keys: Pick<KeyStore, 'findKey'>
    records: Pick<RecordStore, 'readFacts'>
  }
  lookup: LookupDeps
  guard: Pick<LoadGuard, 'overloaded'>
  defaultRate: Rate
  platformHosts: readonly string[]
  callEnded(call: EndedCall): void
}
