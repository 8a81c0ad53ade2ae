import type { Connection } from '../../database/dialect.ts'
import { isAbandoned } from './submit-batch.ts'

/** Batches whose time is over, and their last row. Uploads among them are given up from here on: they can become no batch. */
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

/** Gives up an upload at once; false where it has become a batch. */
export async function giveUpBatch({ db }: Connection, { id }: { id: number }): Promise<boolean> {
  const given = await db
    .updateTable('batches')
    .set({ expires_at: 0 })
    .where('id', '=', id)
    .where('status', '=', 'uploading')
    .executeTakeFirst()
  return given.numUpdatedRows > 0n
}

/** Removes rows up to one of them, in one short transaction, with the idempotency records of their lookups. */
export async function removeBatchRows(
  { db: tx }: Connection,
  { id, environmentId, upTo, hashes }: { id: number; environmentId: number; upTo: number; hashes: string[] },
): Promise<void> {
  await tx.deleteFrom('batch_results').where('batch_id', '=', id).where('number', '<=', upTo).execute()
  await tx.deleteFrom('batch_rows').where('batch_id', '=', id).where('number', '<=', upTo).execute()
  if (hashes.length > 0)
    await tx.deleteFrom('idempotency').where('account_id', '=', environmentId).where('hash', 'in', hashes).execute()
}

/** Removes a batch whose rows are gone. */
export async function removeBatch({ db }: Connection, { id }: { id: number }): Promise<void> {
  await db.deleteFrom('batches').where('id', '=', id).execute()
}
