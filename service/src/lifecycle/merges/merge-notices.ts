import type { Kind } from '@vitae/contract'
import type { Connection } from '../../database/dialect.ts'
import type { NewEvent } from '../../events/event.ts'
import { writeEvents } from '../../events/event-upkeep.ts'
import { endOfCalls } from '../erasure/erase-traces.ts'

/** A merge that the environments which were served either record have not been notified of. */
export interface OpenMerge {
  /** Of the entity that is gone. */
  id: number
  intoId: number
  kind: Kind
  /** The key that stays, and the one that leads to it from now on. */
  key: string
  mergedKey: string
  /** The numbers under which calls were answered with it: its own, and those of all that it absorbed. */
  entityIds: number[]
}

/** The merges to notify of, the oldest first. */
export async function openMerges({ db }: Connection, { limit }: { limit: number }): Promise<OpenMerge[]> {
  const rows = await db
    .selectFrom('merged_entities as gone')
    .innerJoin('entities', 'entities.id', 'gone.into_id')
    .select(['gone.id', 'gone.into_id', 'gone.key as merged_key', 'entities.kind', 'entities.key'])
    .where('gone.notified', '=', 0)
    .orderBy('gone.id')
    .limit(limit)
    .execute()
  const survivors = rows.map((row) => row.into_id)
  const absorbed =
    rows.length === 0
      ? []
      : await db.selectFrom('merged_entities').select(['id', 'into_id']).where('into_id', 'in', survivors).execute()
  return rows.map(({ id, into_id: intoId, kind, key, merged_key: mergedKey }) => {
    const others = absorbed.filter((one) => one.into_id === intoId).map((one) => one.id)
    return { id, intoId, kind, key, mergedKey: mergedKey ?? '', entityIds: [intoId, ...others] }
  })
}

export interface ServedChunk {
  served: { entityId: number; environmentId: number }[]
  /** Pass it as `afterRequestId` for the next chunk. */
  next: string
  done: boolean
}

/** Which environments were served records, as a chunk of the call log has it. */
export async function servedEnvironments(
  { db }: Connection,
  { entityIds, afterRequestId, limit }: { entityIds: number[]; afterRequestId: string; limit: number },
): Promise<ServedChunk> {
  const end = await endOfCalls(db, afterRequestId, limit)
  if (end === null) return { served: [], next: afterRequestId, done: true }
  const rows = await db
    .selectFrom('calls')
    .select(['entity_id', 'account_id'])
    .distinct()
    .where('request_id', '>', afterRequestId)
    .where('request_id', '<=', end.last)
    .where('mode', '=', 'live')
    .where('entity_id', 'in', entityIds)
    .execute()
  const served = rows.map((row) => ({ entityId: row.entity_id ?? 0, environmentId: row.account_id }))
  return { served, next: end.last, done: end.count < limit }
}

/** Writes the events of merges, and that they are written, in one transaction: nobody is notified twice. */
export async function notifyOfMerges(
  { db: tx, dialect }: Connection,
  { merges, at }: { merges: { merge: OpenMerge; environmentIds: number[] }[]; at: number },
): Promise<{ notified: number }> {
  const events: NewEvent[] = []
  for (const { merge, environmentIds } of merges) {
    const { id, intoId, kind, key, mergedKey } = merge
    // Another node may have been quicker, and an erasure may have removed both.
    const open = await tx
      .updateTable('merged_entities')
      .set({ notified: 1 })
      .where('id', '=', id)
      .where('into_id', '=', intoId)
      .where('notified', '=', 0)
      .returning('id')
      .executeTakeFirst()
    if (!open) continue
    const data = { kind, id: key, merged_id: mergedKey }
    for (const environmentId of environmentIds)
      events.push({ type: 'record.merged', at, environmentId, entityId: intoId, data })
  }
  await writeEvents(tx, dialect, events)
  return { notified: events.length }
}
