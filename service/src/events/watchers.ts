import type { Tx } from '../database/dialect.ts'

/**
 * The environments that watch a record and may be notified of it: their watch has paid for the record at least once, and the
 * key that pays for it still may.
 */
export async function watchersOf(tx: Tx, entityId: number): Promise<{ accountId: number; route: string | null }[]> {
  const rows = await tx
    .selectFrom('watches')
    .innerJoin('environments', 'environments.id', 'watches.account_id')
    .select(['account_id', 'environments.route'])
    .distinct()
    .where('entity_id', '=', entityId)
    .where('paused', 'is', null)
    .orderBy('account_id')
    .execute()
  return rows.map(({ account_id: accountId, route }) => ({ accountId, route }))
}
