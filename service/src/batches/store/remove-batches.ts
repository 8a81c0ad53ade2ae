import type { Connection } from '../../database/dialect.ts'
import { isAbandoned } from './submit-batch.ts'

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
