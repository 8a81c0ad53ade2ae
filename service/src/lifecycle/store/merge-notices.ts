import type { Connection, Database, Tx } from '../../database/engine/dialect.ts'
import type { NewEvent } from '../../events/outbox/event.ts'
import { writeEvents } from '../../events/outbox/event-upkeep.ts'
import { notifyLateRecipients } from './erasure/notify-recipients.ts'

interface Notify {
  limit: number
  at: number
}

/**
 * Writes the events of the oldest merges, of the oldest splits and of records that were erased meanwhile. Each of the
 * three records in its own transaction that they are written, so that nobody is notified twice.
 */
export async function notifyOfMerges(database: Database, args: Notify): Promise<{ found: number }> {
  let found = 0
  for (const notify of [notifyOfMerged, notifyOfSplits, notifyLateRecipients])
    found += (await database.write((connection) => notify(connection, args))).found
  return { found }
}

async function notifyOfMerged({ db: tx, dialect }: Connection, { limit, at }: Notify): Promise<{ found: number }> {
  const open = await tx
    .selectFrom('merged_entities as gone')
    .innerJoin('entities', 'entities.id', 'gone.into_id')
    .select(['gone.id', 'gone.into_id', 'gone.key as merged_key', 'entities.kind', 'entities.key'])
    .where('gone.notified', '=', 0)
    .orderBy('gone.id')
    .limit(limit)
    .execute()
  const events: NewEvent[] = []
  for (const { id, into_id: intoId, kind, key, merged_key: mergedKey } of open) {
    // Another node may have been faster, or an erasure may have removed both.
    const own = tx
      .updateTable('merged_entities')
      .set({ notified: 1 })
      .where('id', '=', id)
      .where('into_id', '=', intoId)
    if (!(await own.where('notified', '=', 0).returning('id').executeTakeFirst())) continue
    const data = { kind, id: key, merged_id: mergedKey ?? '' }
    for (const environmentId of await recipientsOf(tx, intoId))
      events.push({ type: 'record.merged', at, environmentId, entityId: intoId, data })
  }
  await writeEvents(tx, dialect, events)
  return { found: open.length }
}

/** The same for splits. */
async function notifyOfSplits({ db: tx, dialect }: Connection, { limit, at }: Notify): Promise<{ found: number }> {
  const open = await tx
    .selectFrom('record_splits')
    .innerJoin('entities as kept', 'kept.id', 'record_splits.entity_id')
    .innerJoin('entities as apart', 'apart.id', 'record_splits.apart_id')
    .select(['kept.id', 'apart.id as apart_id', 'kept.kind', 'kept.key', 'apart.key as apart_key'])
    .where('notified', '=', 0)
    .orderBy('record_splits.at')
    .limit(limit)
    .execute()
  const events: NewEvent[] = []
  for (const { id, apart_id: apartId, kind, key, apart_key: apartKey } of open) {
    const own = tx.updateTable('record_splits').set({ notified: 1 }).where('entity_id', '=', id)
    const first = own.where('apart_id', '=', apartId).where('notified', '=', 0).returning('entity_id')
    if (!(await first.executeTakeFirst())) continue
    const data = { kind, id: key, split_id: apartKey }
    for (const environmentId of await recipientsOf(tx, id))
      events.push({ type: 'record.split', at, environmentId, entityId: id, data })
  }
  await writeEvents(tx, dialect, events)
  return { found: open.length }
}

async function recipientsOf(tx: Tx, entityId: number): Promise<number[]> {
  const rows = await tx
    .selectFrom('recipients')
    .select('account_id')
    .distinct()
    .where('entity_id', '=', entityId)
    .orderBy('account_id')
    .execute()
  return rows.map((row) => row.account_id)
}
