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
  type RetentionStep,
  type StepArgs,
  type StepResult,
} from './retention-steps.ts'
import { cursorAfter, type StepChunk, type StepCursor } from './run-steps.ts'

const steps: Record<RetentionStep, (tx: Tx, args: StepArgs) => Promise<StepResult>> = {
  payloads: chunkOfPayloads,
  versions: chunkOfVersions,
  fetches: chunkOfFetches,
  entities: chunkOfEntities,
  calls: chunkOfCalls,
  misses: chunkOfMisses,
}

interface ChunkArgs {
  now: number
  rules: RetentionRules
  cursor: StepCursor<RetentionStep>
  limit: number
  /** Count only. */
  dryRun: boolean
  actor: string
}

/** Removes what is too old among the next `limit` rows, in one short transaction, audited. Never touches the ledger. */
export async function retentionChunk(
  { db: tx, dialect }: Connection,
  args: ChunkArgs,
): Promise<StepChunk<RetentionStep, RetentionCounts>> {
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
  return { counts, next: cursorAfter(retentionSteps, cursor.step, done.next) }
}
