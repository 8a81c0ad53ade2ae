import type { UpkeepStore } from '../store/operations.ts'
import {
  noCounts,
  retentionSteps,
  type RetentionCounts,
  type RetentionStep,
  cutoff,
} from '../store/retention/retention-steps.ts'
import { runSteps } from '../store/retention/run-steps.ts'
import { type DaySumStore, endOfFinished, sumDays } from './sum-days.ts'
import type { RetentionRules } from '../../config/retention-config.ts'
import { dayMs } from '../../foundation/clock.ts'

type RetentionStore = { upkeep: Pick<UpkeepStore, 'retentionChunk'> }

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

/** Removes all expired data, in chunks. Calls are first added to the sums of their days. */
export async function retentionRun(
  store: RetentionStore & DaySumStore,
  args: Retention & { actor: string },
): Promise<RetentionCounts> {
  const { now, rules } = args
  const expired = cutoff(now, rules.callLogDays)
  if (expired !== null) {
    const until = Math.min(expired - (expired % dayMs) + dayMs, endOfFinished(now))
    await sumDays(store, 'calls', { from: 0, until, now })
  }
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
    runChunk: (cursor) => store.upkeep.retentionChunk({ now, rules, cursor, limit, dryRun, actor }),
    onProgress,
  })
}
