import type { Kind } from '@vitae/contract'
import type { Tx } from '../../database/engine/dialect.ts'

interface Split {
  kind: Kind
  /** The entity that kept the key, and the new one with the other versions. */
  entityId: number
  apartId: number
  at: number
}

/** Marks two entities as different subjects, so that nothing merges them again. */
export async function markSplit(tx: Tx, { kind, entityId, apartId, at }: Split): Promise<void> {
  await tx
    .insertInto('record_splits')
    .values({ kind, entity_id: entityId, apart_id: apartId, at, notified: 0 })
    .execute()
}

/** The entities that each given entity must not be merged with. */
export async function splitsOf(tx: Tx, ids: readonly number[]): Promise<Map<number, number[]>> {
  const rows = await tx
    .selectFrom('record_splits')
    .select(['entity_id', 'apart_id'])
    .where((eb) => eb.or([eb('entity_id', 'in', ids), eb('apart_id', 'in', ids)]))
    .execute()
  const apart = new Map<number, number[]>()
  const note = (id: number, other: number) => apart.set(id, [...(apart.get(id) ?? []), other])
  for (const { entity_id: one, apart_id: other } of rows) {
    note(one, other)
    note(other, one)
  }
  return apart
}

/** After a merge, the survivor stays apart from the entities that the absorbed one was split from. */
export async function moveSplits(tx: Tx, from: number, into: number): Promise<void> {
  const rows = await tx
    .deleteFrom('record_splits')
    .where((eb) => eb.or([eb('entity_id', '=', from), eb('apart_id', '=', from)]))
    .returningAll()
    .execute()
  if (rows.length === 0) return
  const heir = (id: number) => (id === from ? into : id)
  await tx
    .insertInto('record_splits')
    .values(rows.map((row) => ({ ...row, entity_id: heir(row.entity_id), apart_id: heir(row.apart_id) })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Deletes the marks of removed entities. */
export async function removeSplits(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.deleteFrom('record_splits').where('entity_id', 'in', ids).execute()
  await tx.deleteFrom('record_splits').where('apart_id', 'in', ids).execute()
}
