import { appendAudit } from '../../audit/audit.ts'
import type { Connection, Tx } from '../../database/dialect.ts'
import { holdRecords } from '../../records/entities/locks.ts'
import { chunkOfCalls, chunkOfMisses } from './retention-logs.ts'
import { chunkOfEntities, chunkOfFetches, chunkOfPayloads, chunkOfVersions } from './retention-records.ts'
import type { RetentionRules } from '../../config/retention-config.ts'
import {
  noCounts,
  retentionSteps,
  type RetentionCounts,
  type RetentionCursor,
  type RetentionStep,
  type StepArgs,
  type StepResult,
} from './retention-steps.ts'

const steps: Record<RetentionStep, (tx: Tx, args: StepArgs) => Promise<StepResult>> = {
  payloads: chunkOfPayloads,
  versions: chunkOfVersions,
  fetches: chunkOfFetches,
  entities: chunkOfEntities,
  calls: chunkOfCalls,
  misses: chunkOfMisses,
}

export interface RetentionChunk {
  counts: RetentionCounts
  next: RetentionCursor | null
}

interface ChunkArgs {
  now: number
  rules: RetentionRules
  cursor: RetentionCursor
  limit: number
  /** Count only. */
  dryRun: boolean
  actor: string
}

/** Removes what is too old among the next `limit` rows, in one short transaction, audited. Never touches the ledger. */
export async function retentionChunk({ db: tx, dialect }: Connection, args: ChunkArgs): Promise<RetentionChunk> {
  const { now, rules, cursor, limit, dryRun, actor } = args
  if (!dryRun) await holdRecords(tx, dialect)
  const done = await steps[cursor.step](tx, { dialect, now, rules, after: cursor.after, limit, dryRun })
  const counts = { ...noCounts(), ...done.counts }
  if (!dryRun && Object.values(counts).some((count) => count > 0)) {
    await appendAudit(tx, dialect, {
      at: now,
      actor,
      action: 'retention.run',
      after: { removed: done.counts, rules },
    })
  }
  return { counts, next: done.next === null ? following(cursor.step) : { step: cursor.step, after: done.next } }
}

function following(step: RetentionStep): RetentionCursor | null {
  const next = retentionSteps[retentionSteps.indexOf(step) + 1]
  return next ? { step: next, after: 0 } : null
}
