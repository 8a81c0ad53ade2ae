import { appendAudit } from '../../../audit/audit.ts'
import type { Connection, Tx, Dialect } from '../../../database/engine/dialect.ts'
import { holdRecords } from '../../../records/rows/locks.ts'
import { chunkOfEntities, chunkOfFetches, chunkOfPayloads, chunkOfVersions } from './retention-records.ts'
import type { RetentionRules } from '../../../config/retention-config.ts'
import {
  cutoff,
  noCounts,
  retentionSteps,
  type RetentionCounts,
  type RetentionStep,
  type StepArgs,
  type StepResult,
} from './retention-steps.ts'
import { cursorAfter, type StepChunk, type StepCursor } from './run-steps.ts'
import { sql } from 'kysely'
import { dropCallMonths } from '../../../database/postgres/partitions.ts'
import { addLateCalls, aggregateCharges, aggregateCosts } from '../../../database/sql/aggregate-calls.ts'
import { inChunks } from '../../../database/sql/prepared.ts'
import { forgetHiddenMisses } from '../../../records/suppression/suppressions.ts'
import { dayMs } from '../../../foundation/clock.ts'
import { countedLeft, makeFinal, noteRemoved } from '../../../database/sql/summed-days.ts'

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
 * Removes expired calls of days that are summed, and their details. The ledger and the sums are not touched. On PostgreSQL
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
  if (dialect.hasMonths) {
    const removed = await dropCallMonths(tx, table, before)
    if (removed > 0) return { removed, isDone: false }
    if (await isMoreThan(tx, table, before, rowsByHandAtMost)) return { removed: 0, isDone: true }
  }
  const removed = await (table === 'calls'
    ? removeCalls(tx, dialect, before, limit)
    : removeDetails(tx, dialect, before, limit))
  return { removed, isDone: removed === 0 }
}

async function removeDetails(tx: Tx, dialect: Dialect, before: number, limit: number): Promise<number> {
  const ids = await oldestIds(tx, 'call_details', before, limit)
  for (const chunk of inChunks(ids, 1_000)) {
    await aggregateCosts(tx, dialect, 'call_details', sql`details.request_id in (${sql.join(chunk)})`)
    await tx.deleteFrom('call_details').where('request_id', 'in', chunk).execute()
  }
  return ids.length
}

/** Removes the oldest calls, all of one day, if the sums of the day cover them. Those that came later are added to it. */
async function removeCalls(tx: Tx, dialect: Dialect, before: number, limit: number): Promise<number> {
  const calls = tx.selectFrom('calls').select(({ fn }) => fn.min('at').as('at'))
  const at = (await calls.executeTakeFirst())?.at ?? before
  const since = at - (at % dayMs)
  const until = since + dayMs
  if (at >= before || !(await makeFinal({ db: tx, dialect }, { since, until }))) return 0
  const counted = await countedLeft(tx, since)
  const ids = await oldestIds(tx, 'calls', Math.min(before, until), counted > 0 ? Math.min(limit, counted) : limit)
  for (const chunk of inChunks(ids, 1_000)) {
    const isOld = sql`request_id in (${sql.join(chunk)})`
    await addLateCalls(tx, 'calls', isOld)
    await aggregateCharges(tx, 'calls', isOld)
    await tx.deleteFrom('calls').where('request_id', 'in', chunk).execute()
  }
  if (counted > 0) await noteRemoved(tx, { since, until, rows: ids.length })
  return ids.length
}

async function oldestIds(tx: Tx, table: 'calls' | 'call_details', before: number, limit: number): Promise<string[]> {
  const rows = tx.selectFrom(table).select('request_id').where('at', '<', before).orderBy('at').limit(limit)
  return (await rows.execute()).map((row) => row.request_id)
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
