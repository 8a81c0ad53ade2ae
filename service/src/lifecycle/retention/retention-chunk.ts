import { appendAudit } from '../../audit/audit.ts'
import type { Connection, Tx, Dialect } from '../../database/dialect.ts'
import { holdRecords } from '../../records/entities/locks.ts'
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
import { sql } from 'kysely'
import { dropCallMonths } from '../../database/postgres/partitions.ts'
import { aggregateCalls, aggregateCosts } from '../../database/sql/aggregate-calls.ts'
import { inChunks } from '../../database/sql/bulk-rows.ts'
import { forgetHiddenMisses } from '../../records/suppression/suppressions.ts'
import { cutoff } from './retention-rules.ts'

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

/** Removes expired data among the next `limit` rows, in one short, audited transaction. It never touches the ledger. */
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

/** If a partly expired month has more expired rows than this, they wait until the whole month can be dropped. */
const rowsByHandAtMost = 200_000

/**
 * Removes expired calls and their details. The ledger is not touched, and usage keeps its daily counts. On PostgreSQL
 * whole months are dropped; single rows are deleted only in a month that is not over yet, and only if they are few.
 */
export async function chunkOfCalls(tx: Tx, args: StepArgs): Promise<StepResult> {
  const { now, rules, limit, dryRun, dialect } = args
  const before = cutoff(now, rules.callLogDays)
  if (before === null) return { counts: {}, next: null }
  if (dryRun) {
    const all = await tx
      .selectFrom('calls')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('at', '<', before)
      .executeTakeFirstOrThrow()
    return { counts: { calls: Number(all.count) }, next: null }
  }
  const details = await removeOldRows(tx, dialect, 'call_details', { before, limit })
  const calls = await removeOldRows(tx, dialect, 'calls', { before, limit })
  return { counts: { calls: calls.removed }, next: calls.isDone && details.isDone ? null : 0 }
}

async function removeOldRows(
  tx: Tx,
  dialect: Dialect,
  table: 'calls' | 'call_details',
  { before, limit }: { before: number; limit: number },
): Promise<{ removed: number; isDone: boolean }> {
  if (dialect === 'postgres') {
    const removed = await dropCallMonths(tx, table, before)
    if (removed > 0) return { removed, isDone: false }
    if (await isMoreThan(tx, table, before, rowsByHandAtMost)) return { removed: 0, isDone: true }
  }
  const page = await tx
    .selectFrom(table)
    .select('request_id')
    .where('at', '<', before)
    .orderBy('at')
    .limit(limit)
    .execute()
  for (const rows of inChunks(page, 1_000)) {
    const ids = rows.map((row) => row.request_id)
    if (table === 'calls') await aggregateCalls(tx, table, sql`request_id in (${sql.join(ids)})`)
    else await aggregateCosts(tx, dialect, table, sql`details.request_id in (${sql.join(ids)})`)
    await tx.deleteFrom(table).where('request_id', 'in', ids).execute()
  }
  return { removed: page.length, isDone: page.length < limit }
}

async function isMoreThan(tx: Tx, table: 'calls' | 'call_details', before: number, rows: number): Promise<boolean> {
  const row = await tx
    .selectFrom(table)
    .select('at')
    .where('at', '<', before)
    .orderBy('at')
    .offset(rows)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** A remembered "not found" is valid for minutes or hours; a name that never had a record is deleted after a month. */
const missDays = 30

/** Names that no provider ever knew. */
async function chunkOfMisses(tx: Tx, { now, limit, dryRun }: StepArgs): Promise<StepResult> {
  const before = cutoff(now, missDays) ?? 0
  const misses = tx.selectFrom('aliases').where('entity_id', 'is', null).where('seen_at', '<', before)
  if (dryRun) {
    const all = await misses.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
    return { counts: { misses: Number(all.count) }, next: null }
  }
  await forgetHiddenMisses(tx, { before, limit })
  const page = await misses.select(['kind', 'type', 'value']).limit(limit).execute()
  for (const { kind, type, value } of page) {
    await tx
      .deleteFrom('aliases')
      .where('kind', '=', kind)
      .where('type', '=', type)
      .where('value', '=', value)
      .execute()
  }
  return { counts: { misses: page.length }, next: page.length < limit ? null : 0 }
}
