import type { Tx } from '../../database/dialect.ts'
import { dropCallMonths } from '../../database/postgres/partitions.ts'
import { inChunks } from '../in-chunks.ts'
import type { StepArgs, StepResult } from './retention-steps.ts'
import { cutoff } from './retention-rules.ts'

/** Where a month that is only partly too old holds more than this, its rows wait until it can be dropped as a whole. */
const rowsByHandAtMost = 200_000

/**
 * The call log; the ledger is not touched. On PostgreSQL whole months are dropped. Single rows are deleted only in a month
 * that is not over yet, and only where they are few.
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
  if (dialect === 'postgres') {
    const calls = await dropCallMonths(tx, before)
    if (calls > 0) return { counts: { calls }, next: 0 }
    if (await isMoreThan(tx, before, rowsByHandAtMost)) return { counts: {}, next: null }
  }
  const page = await tx
    .selectFrom('calls')
    .select('request_id')
    .where('at', '<', before)
    .orderBy('at')
    .limit(limit)
    .execute()
  for (const rows of inChunks(page, 1_000)) {
    await tx
      .deleteFrom('calls')
      .where(
        'request_id',
        'in',
        rows.map((row) => row.request_id),
      )
      .execute()
  }
  return { counts: { calls: page.length }, next: page.length < limit ? null : 0 }
}

async function isMoreThan(tx: Tx, before: number, rows: number): Promise<boolean> {
  const row = await tx
    .selectFrom('calls')
    .select('at')
    .where('at', '<', before)
    .orderBy('at')
    .offset(rows)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** A remembered "not found" counts for minutes or hours; after a month a name that never led anywhere is forgotten. */
const missDays = 30

/** Names that upstream never knew. */
export async function chunkOfMisses(tx: Tx, { now, limit, dryRun }: StepArgs): Promise<StepResult> {
  const before = cutoff(now, missDays) ?? 0
  const misses = tx.selectFrom('aliases').where('entity_id', 'is', null).where('seen_at', '<', before)
  if (dryRun) {
    const all = await misses.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
    return { counts: { misses: Number(all.count) }, next: null }
  }
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
