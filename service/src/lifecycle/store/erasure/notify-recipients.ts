import type { Kind } from '@vitae/contract'
import type { Connection, Dialect, Tx } from '../../../database/engine/dialect.ts'
import { inChunks } from '../../../database/sql/prepared.ts'
import type { NewEvent } from '../../../events/outbox/event.ts'
import { writeEvents } from '../../../events/outbox/event-upkeep.ts'
import { dayMs } from '../../../foundation/clock.ts'

/** A record that is removed. */
export interface GoneRecord {
  entityId: number
  key: string
}

interface Gone {
  kind: Kind
  records: readonly GoneRecord[]
  at: number
}

/**
 * Notifies every recipient of records that retention or a purge removes. They stay recipients, because a later erasure
 * must still reach them.
 */
export async function notifyOfPurge(tx: Tx, dialect: Dialect, entityIds: readonly number[], at: number): Promise<void> {
  const events: NewEvent[] = []
  for (const ids of inChunks(entityIds, 200)) {
    const rows = await tx.selectFrom('recipients').selectAll().where('entity_id', 'in', ids).execute()
    for (const { account_id: environmentId, kind, key } of rows)
      if (key !== '') events.push({ type: 'record.purged', at, environmentId, entityId: null, data: { kind, id: key } })
  }
  await writeEvents(tx, dialect, events)
}

/**
 * Notifies every recipient of erased records, under every key it received, and deletes the recipients. The event has no
 * entity: it outlives the record and contains only the key.
 */
export async function eraseRecipients({ db: tx, dialect }: Connection, { kind, records, at }: Gone): Promise<void> {
  const ids = await reachedIds(tx, kind, records)
  const keyOf = new Map(records.map(({ entityId, key }) => [entityId, key]))
  const notices = new Map<string, NewEvent>()
  for (const some of inChunks(ids, 200)) {
    const rows = await tx.deleteFrom('recipients').where('entity_id', 'in', some).returningAll().execute()
    for (const { entity_id: entityId, account_id: environmentId, key } of rows) {
      const id = key || keyOf.get(entityId)
      if (id === undefined) continue
      const event = { type: 'record.erased', at, environmentId, entityId: null, data: { kind, id } } as const
      notices.set(`${environmentId} ${id}`, event)
    }
  }
  await writeEvents(tx, dialect, [...notices.values()])
}

/** The `into_id` of an erased record in `merged_entities`: no row has this id. */
const nowhere = 0
/** Longer than any call lasts. */
const markedMs = dayMs

/** Marks records, and those merged into them, as erased: a call that read one of them may still record its recipient. */
export async function markErased(tx: Tx, entityIds: readonly number[], at: number): Promise<void> {
  const mark = { into_id: nowhere, kind: null, key: null, at, notified: 1 }
  for (const ids of inChunks(entityIds, 200)) {
    await tx.updateTable('merged_entities').set(mark).where('into_id', 'in', ids).execute()
    await tx
      .insertInto('merged_entities')
      .values(ids.map((id) => ({ id, ...mark })))
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute()
  }
}

/** Notifies environments whose call ended after its record was erased, and removes marks that no call can need. */
export async function notifyLateRecipients(
  { db: tx, dialect }: Connection,
  { at }: { at: number },
): Promise<{ found: number }> {
  const erased = tx.selectFrom('merged_entities').select('id').where('into_id', '=', nowhere)
  const rows = await tx.deleteFrom('recipients').where('entity_id', 'in', erased).returningAll().execute()
  const events = rows.flatMap(({ account_id: environmentId, kind, key }): NewEvent[] =>
    key === '' ? [] : [{ type: 'record.erased', at, environmentId, entityId: null, data: { kind, id: key } }],
  )
  await writeEvents(tx, dialect, events)
  await tx
    .deleteFrom('merged_entities')
    .where('into_id', '=', nowhere)
    .where('at', '<', at - markedMs)
    .execute()
  return { found: rows.length }
}

/** The ids of the records, and of records that had one of their keys before they were purged. */
async function reachedIds(tx: Tx, kind: Kind, records: Gone['records']): Promise<number[]> {
  const ids = new Set(records.map(({ entityId }) => entityId))
  for (const some of inChunks(records, 200)) {
    const held = await tx
      .selectFrom('recipients')
      .select('key')
      .distinct()
      .where(
        'entity_id',
        'in',
        some.map(({ entityId }) => entityId),
      )
      .execute()
    const keys = new Set([...some, ...held].map(({ key }) => key))
    const purged = await tx
      .selectFrom('recipients')
      .leftJoin('entities', 'entities.id', 'recipients.entity_id')
      .select('entity_id')
      .distinct()
      .where('recipients.kind', '=', kind)
      .where(
        'recipients.key',
        'in',
        [...keys].filter((key) => key !== ''),
      )
      .where('entities.id', 'is', null)
      .execute()
    for (const row of purged) ids.add(row.entity_id)
  }
  return [...ids]
}
