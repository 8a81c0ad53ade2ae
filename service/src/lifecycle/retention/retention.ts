import type { LifecycleStore } from '../operations.ts'
import {
  noCounts,
  retentionSteps,
  type RetentionCounts,
  type RetentionCursor,
  type RetentionStep,
} from './retention-steps.ts'
import type { RetentionRules } from '../../config/retention-config.ts'

type RetentionStore = Pick<LifecycleStore, 'retentionChunk'>

interface Retention {
  now: number
  rules: RetentionRules
  /** Rows looked at in one transaction; other calls get through between two of them. */
  limit?: number
  onProgress?: (step: RetentionStep, sofar: RetentionCounts) => void
}

/** What a run would remove now, without removing it. */
export async function retentionPlan(store: RetentionStore, args: Retention): Promise<RetentionCounts> {
  return overChunks(store, { ...args, actor: 'system' }, true)
}

/** Removes everything that is too old, a chunk at a time. */
export async function retentionRun(
  store: RetentionStore,
  args: Retention & { actor: string },
): Promise<RetentionCounts> {
  return overChunks(store, args, false)
}

async function overChunks(
  store: RetentionStore,
  args: Retention & { actor: string },
  dryRun: boolean,
): Promise<RetentionCounts> {
  const { now, rules, limit = 500, actor, onProgress } = args
  const total = noCounts()
  for (let cursor: RetentionCursor | null = { step: retentionSteps[0], after: 0 }; cursor;) {
    const { step } = cursor
    const chunk: Awaited<ReturnType<RetentionStore['retentionChunk']>> = await store.retentionChunk({
      now,
      rules,
      cursor,
      limit,
      dryRun,
      actor,
    })
    for (const sort of retentionSteps) total[sort] += chunk.counts[sort]
    onProgress?.(step, total)
    cursor = chunk.next
  }
  return total
}
