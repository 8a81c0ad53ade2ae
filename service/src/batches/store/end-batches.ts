import { sql } from 'kysely'
import type { EventData } from '@vitae/contract'
import type { Connection, Dialect, Tx } from '../../database/engine/dialect.ts'
import type { BatchRowStatus } from '../../database/tables/batches.ts'
import { endLease } from '../../work/leases.ts'
import { writeEvents } from '../../events/outbox/event-upkeep.ts'
import { type StoredBatch, isAbandoned } from './submit-batch.ts'

export type BatchEnd =
  | {
      status: 'paused'
      reason: string
      at: number
      resumeAt: number | null
      backoffs: number
      failingSince: number | null
    }
  | { status: 'failed'; reason: string; at: number; expiresAt: number }
  | { status: 'running' }

/** The data that all batch events contain. */
function progressOf(batch: StoredBatch): EventData<'batch.completed'> {
  const { found, not_found, invalid, failed, public_id, name, kind, total, credits } = batch
  const waiting = total - found - not_found - invalid - failed
  const counts = { found, not_found, invalid, failed, waiting }
  return { batch: public_id, name, kind, total, counts, credits_spent: credits }
}

/** Completes a batch and writes its event in one transaction. Batches of test keys have no events. */
export async function completeBatch(
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
  await writeEvents(tx, dialect, [
    { type: 'batch.completed', at, environmentId: batch.account_id, data: progressOf(batch) },
  ])
}

/** Completes a batch of a test key, for which only the counts are stored. */
export async function completeSampleBatch(
  { db: tx, dialect }: Connection,
  args: { id: number; counts: Record<BatchRowStatus, number>; at: number; expiresAt: number },
): Promise<void> {
  const batch = await tx
    .updateTable('batches')
    .set(args.counts)
    .where('id', '=', args.id)
    .where('status', '=', 'running')
    .returningAll()
    .executeTakeFirst()
  if (batch) await completeBatch(tx, dialect, batch, args)
}

/** Records and notifies that a paused batch has resumed. */
export async function notifyResumed(tx: Tx, dialect: Dialect, batch: StoredBatch, at: number): Promise<void> {
  await tx.updateTable('batches').set({ paused_since: null, told_pause: null }).where('id', '=', batch.id).execute()
  const data = { ...progressOf(batch), pause_reason: batch.told_pause ?? '' }
  await writeEvents(tx, dialect, [{ type: 'batch.resumed', at, environmentId: batch.account_id, data }])
}

/**
 * Releases a batch: it is paused until `resumeAt` or until someone resumes it, has failed, or may be run by any node. A
 * pause is notified once, however many attempts to resume fail.
 */
export async function leaveBatch(
  connection: Connection,
  { publicId, lease, end }: { publicId: string; lease: number; end: BatchEnd },
): Promise<void> {
  const { db: tx, dialect } = connection
  if (!(await endLease(connection, { of: 'batches', id: publicId, number: lease }))) return
  const batch = await tx
    .selectFrom('batches')
    .selectAll()
    .where('public_id', '=', publicId)
    .where('status', '=', 'running')
    .executeTakeFirst()
  if (!batch) return
  await tx.updateTable('batches').set(changesOf(end)).where('id', '=', batch.id).execute()
  await notifyEnd(tx, dialect, batch, end)
}

function changesOf(end: BatchEnd) {
  const { status } = end
  if (end.status === 'paused') {
    const { reason, at, resumeAt, backoffs, failingSince } = end
    const since = { told_pause: reason, paused_since: sql<number>`coalesce(paused_since, ${at})` }
    return { status, reason, resume_at: resumeAt, backoffs, failing_since: failingSince, ...since }
  }
  if (end.status === 'failed') return { status, reason: end.reason, ended_at: end.at, expires_at: end.expiresAt }
  return { status }
}

async function notifyEnd(tx: Tx, dialect: Dialect, batch: StoredBatch, end: BatchEnd): Promise<void> {
  const { account_id: environmentId } = batch
  if (end.status === 'failed') return notifyFailed(tx, dialect, batch, end)
  if (end.status !== 'paused' || end.reason === batch.told_pause) return
  const data = { ...progressOf(batch), pause_reason: end.reason }
  await writeEvents(tx, dialect, [{ type: 'batch.paused', at: end.at, environmentId, data }])
}

async function notifyFailed(
  tx: Tx,
  dialect: Dialect,
  batch: StoredBatch,
  { reason, at }: { reason: string; at: number },
): Promise<void> {
  const data = { ...progressOf(batch), error: reason }
  await writeEvents(tx, dialect, [{ type: 'batch.failed', at, environmentId: batch.account_id, data }])
}

/** Fails batches that have been paused since `before` or longer. Their results can be read until `expiresAt`. */
export async function failForgottenBatches(
  { db: tx, dialect }: Connection,
  { before, at, expiresAt }: { before: number; at: number; expiresAt: number },
): Promise<void> {
  const reason = 'paused_too_long'
  const batches = await tx
    .updateTable('batches')
    .set({ status: 'failed', reason, resume_at: null, ended_at: at, expires_at: expiresAt })
    .where('status', '=', 'paused')
    .where('paused_since', '<=', before)
    .returningAll()
    .execute()
  for (const batch of batches) await notifyFailed(tx, dialect, batch, { reason, at })
}

/** Expired batches and their last row. Expired uploads are discarded here and can no longer become batches. */
export async function expiredBatches(
  { db, dialect }: Connection,
  { now, limit }: { now: number; limit: number },
): Promise<{ id: number; publicId: string; environmentId: number; rows: number }[]> {
  await db
    .updateTable('batches')
    .set({ expires_at: 0 })
    .where('status', '=', 'uploading')
    .where((of) => of.or([of('expires_at', '<=', now), isAbandoned(dialect)]))
    .execute()
  const rows = await db
    .selectFrom('batches')
    .select(['id', 'public_id as publicId', 'account_id as environmentId'])
    .select((of) =>
      of
        .selectFrom('batch_rows')
        .select((row) => row.fn.max('number').as('last'))
        .whereRef('batch_id', '=', 'batches.id')
        .as('rows'),
    )
    .where('expires_at', '<=', now)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ ...row, rows: row.rows ?? 0 }))
}

/** Discards an upload at once; false if it has already become a batch. */
export async function giveUpBatch({ db }: Connection, { id }: { id: number }): Promise<boolean> {
  const given = await db
    .updateTable('batches')
    .set({ expires_at: 0 })
    .where('id', '=', id)
    .where('status', '=', 'uploading')
    .executeTakeFirst()
  return given.numUpdatedRows > 0n
}

/** Deletes rows up to a number, with the idempotency records of their lookups, in one short transaction. */
export async function removeBatchRows(
  { db: tx }: Connection,
  { id, environmentId, upTo, hashes }: { id: number; environmentId: number; upTo: number; hashes: string[] },
): Promise<void> {
  await tx.deleteFrom('batch_results').where('batch_id', '=', id).where('number', '<=', upTo).execute()
  await tx.deleteFrom('batch_rows').where('batch_id', '=', id).where('number', '<=', upTo).execute()
  if (hashes.length > 0)
    await tx.deleteFrom('idempotency').where('account_id', '=', environmentId).where('hash', 'in', hashes).execute()
}

/** Deletes a batch whose rows are deleted. */
export async function removeBatch({ db }: Connection, { id }: { id: number }): Promise<void> {
  await db.deleteFrom('batches').where('id', '=', id).execute()
}
