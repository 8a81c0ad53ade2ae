import type { Tx } from '../../database/engine/dialect.ts'
import type { RecipientRow } from '../../database/tables/records.ts'

/**
 * After a merge, recipients of the removed record count as recipients of the survivor, and are notified under its key
 * too.
 */
export async function mergeRecipients(tx: Tx, from: number, into: number): Promise<void> {
  const rows = await tx.deleteFrom('recipients').where('entity_id', '=', from).returningAll().execute()
  if (rows.length === 0) return
  const { key } = await tx.selectFrom('entities').select('key').where('id', '=', into).executeTakeFirstOrThrow()
  const moved = rows.flatMap((row) => [
    { ...row, entity_id: into },
    { ...row, entity_id: into, key },
  ])
  await addRecipients(tx, moved)
}

/** After a split, recipients of the record count for both records; keys that moved go with the new one. */
export async function splitRecipients(tx: Tx, from: number, apart: { id: number; key: string }): Promise<void> {
  const aliases = await tx.selectFrom('aliases').select('value').where('entity_id', '=', apart.id).execute()
  const movedKeys = aliases.map(({ value }) => value)
  const rows = await tx.selectFrom('recipients').selectAll().where('entity_id', '=', from).execute()
  await addRecipients(
    tx,
    rows.flatMap((row) => [
      { ...row, entity_id: apart.id, key: apart.key },
      ...(movedKeys.includes(row.key) ? [{ ...row, entity_id: apart.id }] : []),
    ]),
  )
}

async function addRecipients(tx: Tx, rows: readonly RecipientRow[]): Promise<void> {
  for (const row of rows)
    await tx
      .insertInto('recipients')
      .values(row)
      .onConflict((conflict) => conflict.columns(['entity_id', 'account_id', 'key']).doNothing())
      .execute()
}
