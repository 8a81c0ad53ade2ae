import type { Tx } from '../database/dialect.ts'

/**
 * The environments that watch a record and may be notified of it: their watch has paid for the record at least once, and the
 * key that pays for it still may.
 */
export async function watchersOf(tx: Tx, entityId: number): Promise<number[]> {
  const rows = await tx
    .selectFrom('watches')
    .select('account_id')
    .distinct()
    .where('entity_id', '=', entityId)
    .where('paused', 'is', null)
    .orderBy('account_id')
    .execute()
  return rows.map((row) => row.account_id)
}
