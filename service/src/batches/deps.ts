import type { AccountOperations } from '../accounts/operations.ts'
import type { RateLimiter } from '../accounts/rate-limits/rate-limiter.ts'
import type { CreditOperations } from '../credits/operations.ts'
import type { Store } from '../database/store.ts'
import type { Clock } from '../foundation/clock.ts'
import type { LoadGuard } from '../foundation/load-guard.ts'
import type { Log } from '../foundation/log.ts'
import type { Rate } from '../foundation/rate.ts'
import type { LookupDeps } from '../lookup/deps.ts'
import type { EndedCall } from '../lookup/ended-call.ts'
import type { UploadTurns } from './input/upload-turns.ts'
import type { BatchOperations } from './store/batch-operations.ts'

/** Settings of batches, from the configuration. */
export interface BatchRules {
  rowsAtMost: number
  /** The maximum number of unfinished batches per environment. */
  openAtMost: number
  /** How long a batch is kept after its end, and the longest pause. */
  keptMs: number
  /** The share of a key's rate limit that its batches may use, in addition to its other calls. */
  share: number
}

/** The dependencies of batches. */
export interface BatchDeps {
  clock: Clock
  log: Log
  rules: BatchRules
  uploads: UploadTurns
  store: Store<BatchOperations> &
    Pick<Store<CreditOperations>, 'receipt'> &
    Pick<Store<AccountOperations>, 'keyOfBatch'>
  lookup: LookupDeps
  limiter: RateLimiter
  guard: Pick<LoadGuard, 'overloaded'>
  defaultRate: Rate
  platformHosts: readonly string[]
  callEnded(call: EndedCall): void
}
