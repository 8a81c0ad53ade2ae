import { sql } from 'kysely'
import type { Tx } from '../engine/dialect.ts'

const detail = 'An erasure removed this file, because it could name who was erased. Begin the export again.'

/**
 * Removes the exports that name records, and ends those in preparation: their parts could name the erased subject, and
 * the new fencing number keeps their node from writing another part.
 */
export async function removeExportsOfRecords(tx: Tx): Promise<void> {
  const ids = tx.selectFrom('exports').select('id').where('names_records', '=', 1)
  await tx.deleteFrom('export_parts').where('export_id', 'in', ids).execute()
  await tx
    .updateTable('exports')
    .set({ state: 'removed', detail, ask: '{}', lease: sql<number>`lease + 1`, lease_until: 0 })
    .where('names_records', '=', 1)
    .where('state', 'in', ['preparing', 'ready'])
    .execute()
}
