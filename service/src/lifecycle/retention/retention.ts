import type { LifecycleStore } from '../operations.ts'
import { noCounts, retentionSteps, type RetentionCounts, type RetentionStep } from './retention-steps.ts'
import { runSteps } from './run-steps.ts'
import type { RetentionRules } from '../../config/retention-config.ts'

type RetentionStore = Pick<LifecycleStore, 'retentionChunk'>

interface Retention {
  now: number
  rules: RetentionRules
  /** Rows per transaction; other calls get through between two of them. */
  limit?: number
  onProgress?: (step: RetentionStep, sofar: RetentionCounts) => void
}

/** Counts what a run would remove now, without removing it. */
export async function retentionPlan(store: RetentionStore, args: Retention): Promise<RetentionCounts> {
  return overChunks(store, { ...args, actor: 'system' }, true)
}

/** Removes all expired data, in chunks. */
export async function retentionRun(
  store: RetentionStore,
  args: Retention & { actor: string },
): Promise<RetentionCounts> {
  return overChunks(store, args, false)
}

function overChunks(
  store: RetentionStore,
  args: Retention & { actor: string },
  dryRun: boolean,
): Promise<RetentionCounts> {
  const { now, rules, limit = 500, actor, onProgress } = args
  return runSteps<RetentionStep, RetentionCounts>({
    first: retentionSteps[0],
    none: noCounts(),
    runChunk: (cursor) => store.retentionChunk({ now, rules, cursor, limit, dryRun, actor }),
    onProgress,
  })
}
