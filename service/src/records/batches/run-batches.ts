import { sql } from 'kysely'
import { databaseTime } from '../../database/sql/database-time.ts'
import type { Database, Dialect, Tx } from '../../database/dialect.ts'
import type { BatchResultRow } from '../../database/tables.ts'
import { writeEvents } from '../../events/write-events.ts'
import type { StoredBatch } from './submit-batch.ts'

export type BatchResult = Omit<BatchResultRow, 'batch_id'>
export type PendingRow = { number: number; input: string | null }

const endedStatuses = ['completed', 'cancelled', 'failed']

/**
 * Takes batches that may run and that no living node runs: new ones, those whose pause is over, and those of dead nodes.
 * A lease that is not renewed ends by itself.
 */
export async function claimBatches(
  { db, dialect }: Database,
  { node, now, leaseMs, limit }: { node: string; now: number; leaseMs: number; limit: number },
): Promise<StoredBatch[]> {
  const time = databaseTime(dialect)
  const free = await db
    .selectFrom('batches')
    .select('id')
    .where((of) =>
      of.or([
        of('status', 'in', ['queued', 'running']),
        of.and([of('status', '=', 'paused'), of('resume_at', '<=', now)]),
      ]),
    )
    .where('lease_until', '<', time)
    .orderBy('id')
    .limit(limit)
    .execute()
  const taken: StoredBatch[] = []
  for (const { id } of free) {
    const batch = await db
      .updateTable('batches')
      .set({
        status: 'running',
        reason: null,
        resume_at: null,
        runner: node,
        lease_until: sql<number>`${time} + ${sql.lit(leaseMs)}`,
        started_at: sql<number>`coalesce(started_at, ${now})`,
        claimed_at: now,
        claimed_done: sql<number>`found + not_found + invalid + failed`,
      })
      .where('id', '=', id)
      .where('lease_until', '<', time)
      .where('status', 'in', ['queued', 'running', 'paused'])
      .returningAll()
      .executeTakeFirst()
    if (batch) taken.push(batch)
  }
  return taken
}

/** Keeps the leases of this node, and says which of its batches it still has to run. */
export async function renewBatches(
  { db, dialect }: Database,
  { node, ids, leaseMs }: { node: string; ids: number[]; leaseMs: number },
): Promise<number[]> {
  const rows = await db
    .updateTable('batches')
    .set({ lease_until: sql<number>`${databaseTime(dialect)} + ${sql.lit(leaseMs)}` })
    .where('id', 'in', [...ids, -1])
    .where('runner', '=', node)
    .where('status', '=', 'running')
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** The embedded engine belongs to one process: what a dead one ran is free, and what it was being sent is given up. */
export async function freeBatches({ db }: Database, _args: null): Promise<void> {
  await db.updateTable('batches').set({ lease_until: 0 }).where('lease_until', '>', 0).execute()
  await db.updateTable('batches').set({ expires_at: 0 }).where('status', '=', 'uploading').execute()
}

/** The next rows without a result, in the order of the input. */
export async function pendingBatchRows(
  { db }: Database,
  { id, after, limit }: { id: number; after: number; limit: number },
): Promise<PendingRow[]> {
  return db
    .selectFrom('batch_rows')
    .leftJoin('batch_results', (join) =>
      join
        .onRef('batch_results.batch_id', '=', 'batch_rows.batch_id')
        .onRef('batch_results.number', '=', 'batch_rows.number'),
    )
    .select(['batch_rows.number', 'batch_rows.input'])
    .where('batch_rows.batch_id', '=', id)
    .where('batch_rows.number', '>', after)
    .where('batch_results.number', 'is', null)
    .orderBy('batch_rows.number')
    .limit(limit)
    .execute()
}

/** Those of the rows' marks whose lookup was paid for already. */
export async function paidBatchMarks(
  { db }: Database,
  { accountId, hashes }: { accountId: number; hashes: string[] },
): Promise<string[]> {
  const rows = await db
    .selectFrom('idempotency')
    .select('hash')
    .where('account_id', '=', accountId)
    .where('hash', 'in', [...hashes, ''])
    .where('state', '=', 'done')
    .execute()
  return rows.map(({ hash }) => hash)
}

/**
 * Writes results. Each row counts once, whoever brings its result first: two nodes that looked the same row up, because
 * one of them was taken for dead, were given the same answer and one charge. With the last row the batch is complete.
 */
export async function saveBatchResults(
  { db, dialect }: Database,
  args: { id: number; results: BatchResult[]; answered: boolean; at: number; expiresAt: number },
): Promise<{ status: StoredBatch['status']; credits: number } | null> {
  const { id, results, answered, at, expiresAt } = args
  return db.transaction().execute(async (tx) => {
    // Written first, so that nobody else counts the same rows meanwhile.
    const working = answered ? { backoffs: 0, failing_since: null } : { key_id: sql<string>`key_id` }
    await tx.updateTable('batches').set(working).where('id', '=', id).execute()
    const added = await insertMissing(tx, id, results)
    const count = (status: BatchResult['status']) => added.filter((row) => row.status === status).length
    const batch = await tx
      .updateTable('batches')
      .set({
        found: sql<number>`found + ${count('found')}`,
        not_found: sql<number>`not_found + ${count('not_found')}`,
        invalid: sql<number>`invalid + ${count('invalid')}`,
        failed: sql<number>`failed + ${count('failed')}`,
        credits: sql<number>`credits + ${added.reduce((sum, row) => sum + row.credits, 0)}`,
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst()
    if (!batch) return null
    const isWhole = batch.found + batch.not_found + batch.invalid + batch.failed >= batch.total
    if (!isWhole || endedStatuses.includes(batch.status)) return { status: batch.status, credits: batch.credits }
    await completeBatch(tx, dialect, batch, { at, expiresAt })
    return { status: 'completed', credits: batch.credits }
  })
}

async function insertMissing(tx: Tx, id: number, results: readonly BatchResult[]): Promise<BatchResult[]> {
  if (results.length === 0) return []
  const there = await tx
    .selectFrom('batch_results')
    .select('number')
    .where('batch_id', '=', id)
    .where(
      'number',
      'in',
      results.map(({ number }) => number),
    )
    .execute()
  const known = new Set(there.map(({ number }) => number))
  const missing = results.filter(({ number }) => !known.has(number))
  if (missing.length > 0)
    await tx
      .insertInto('batch_results')
      .values(missing.map((row) => ({ ...row, batch_id: id })))
      .execute()
  return missing
}

/** The event is written with the end that it tells of. A test key's batches are told to nobody. */
async function completeBatch(
  tx: Tx,
  dialect: Dialect,
  batch: StoredBatch,
  { at, expiresAt }: { at: number; expiresAt: number },
): Promise<void> {
  await tx
    .updateTable('batches')
    .set({ status: 'completed', reason: null, resume_at: null, lease_until: 0, ended_at: at, expires_at: expiresAt })
    .where('id', '=', batch.id)
    .execute()
  if (batch.mode === 'test') return
  const { found, not_found, invalid, failed, public_id, name, kind, total, credits } = batch
  const counts = { found, not_found, invalid, failed, waiting: 0 }
  const data = { batch: public_id, name, kind, total, counts, credits_spent: credits }
  await writeEvents(tx, dialect, [{ type: 'batch.completed', at, accountId: batch.account_id, data }])
}

/** Completes a batch of a test key, of which only the counts are kept. */
export async function completeSampleBatch(
  { db, dialect }: Database,
  args: { id: number; counts: Record<BatchResult['status'], number>; at: number; expiresAt: number },
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const batch = await tx
      .updateTable('batches')
      .set(args.counts)
      .where('id', '=', args.id)
      .where('status', '=', 'running')
      .returningAll()
      .executeTakeFirst()
    if (batch) await completeBatch(tx, dialect, batch, args)
  })
}

export type BatchEnd =
  | { status: 'paused'; reason: string; resumeAt: number | null; backoffs: number; failingSince: number | null }
  | { status: 'failed'; reason: string; at: number; expiresAt: number }
  | { status: 'running' }

/** Lets go of a batch: it waits for `resumeAt` or for somebody, has failed, or may be run by any node at once. */
export async function leaveBatch(
  { db }: Database,
  { id, node, end }: { id: number; node: string; end: BatchEnd },
): Promise<void> {
  await db
    .updateTable('batches')
    .set({ lease_until: 0, ...changesOf(end) })
    .where('id', '=', id)
    .where('runner', '=', node)
    .where('status', '=', 'running')
    .execute()
}

function changesOf(end: BatchEnd) {
  const { status } = end
  if (end.status === 'paused') {
    const { reason, resumeAt, backoffs, failingSince } = end
    return { status, reason, resume_at: resumeAt, backoffs, failing_since: failingSince }
  }
  if (end.status === 'failed') return { status, reason: end.reason, ended_at: end.at, expires_at: end.expiresAt }
  return { status }
}
