import type { Database } from '../../database/dialect.ts'

/** When an account last paid for a record; null where it never did, or where repeats are not free. */
export async function paidAt(
  { db }: Database,
  { accountId, entityId }: { accountId: number; entityId: number },
): Promise<number | null> {
  const row = await db
    .selectFrom('paid_records')
    .select('paid_at')
    .where('account_id', '=', accountId)
    .where('entity_id', '=', entityId)
    .executeTakeFirst()
  return row?.paid_at ?? null
}
