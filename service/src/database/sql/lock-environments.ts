import type { Dialect, Tx } from '../engine/dialect.ts'

/**
 * Locks environments, as a settlement does, until the transaction ends: payments for them are committed either before
 * or after it. The embedded engine has one writer and needs no lock.
 */
export async function lockEnvironments(tx: Tx, dialect: Dialect, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await dialect.lockRows(tx.selectFrom('environments').select('id').where('id', 'in', ids).orderBy('id'))
}
