import type { Database } from '../database/dialect.ts'
import { Failure } from '../foundation/failure.ts'

/** Who would pay for a call with a key. */
export async function payerOfKey(
  { db }: Database,
  { id }: { id: string },
): Promise<{ keyId: string; accountId: number; mode: 'live' | 'test' }> {
  const row = await db
    .selectFrom('keys')
    .select(['id as keyId', 'environment_id as accountId', 'mode'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (row) return row
  throw new Failure('not_found', { detail: `There is no key ${id}. "vitae keys list" shows those there are.` })
}
