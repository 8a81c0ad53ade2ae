import type { Kind } from '@vitae/contract'
import type { Connection } from '../../database/dialect.ts'
import type { NewEvent } from '../../events/event.ts'
import { writeEvents } from '../../events/event-upkeep.ts'

/** A split that the environments which were served the record have not been notified of. */
export interface OpenSplit {
  /** The entity that kept the key, and the new one. */
  id: number
  apartId: number
  kind: Kind
  key: string
  apartKey: string
  /** The numbers under which calls were answered with the record. */
  entityIds: number[]
}

/** The splits to notify of, the oldest first. */
export async function openSplits({ db }: Connection, { limit }: { limit: number }): Promise<OpenSplit[]> {
  const rows = await db
    .selectFrom('record_splits')
    .innerJoin('entities as kept', 'kept.id', 'record_splits.entity_id')
    .innerJoin('entities as apart', 'apart.id', 'record_splits.apart_id')
    .select(['kept.id', 'apart.id as apart_id', 'kept.kind', 'kept.key', 'apart.key as apart_key'])
    .where('notified', '=', 0)
    .orderBy('record_splits.at')
    .limit(limit)
    .execute()
  const splits: OpenSplit[] = []
  for (const { id, apart_id: apartId, kind, key, apart_key: apartKey } of rows) {
    const merged = await db.selectFrom('merged_entities').select('id').where('into_id', 'in', [id, apartId]).execute()
    splits.push({ id, apartId, kind, key, apartKey, entityIds: [id, apartId, ...merged.map((one) => one.id)] })
  }
  return splits
}

/** Writes the events of splits, and that they are written, in one transaction: nobody is notified twice. */
export async function notifyOfSplits(
  { db: tx, dialect }: Connection,
  { splits, at }: { splits: { split: OpenSplit; environmentIds: number[] }[]; at: number },
): Promise<{ notified: number }> {
  const events: NewEvent[] = []
  for (const { split, environmentIds } of splits) {
    const { id, apartId, kind, key, apartKey } = split
    // Another node may have been quicker, and an erasure may have removed one of the two.
    const open = await tx
      .updateTable('record_splits')
      .set({ notified: 1 })
      .where('entity_id', '=', id)
      .where('apart_id', '=', apartId)
      .where('notified', '=', 0)
      .returning('entity_id')
      .executeTakeFirst()
    if (!open) continue
    const data = { kind, id: key, split_id: apartKey }
    for (const environmentId of environmentIds)
      events.push({ type: 'record.split', at, environmentId, entityId: id, data })
  }
  await writeEvents(tx, dialect, events)
  return { notified: events.length }
}
