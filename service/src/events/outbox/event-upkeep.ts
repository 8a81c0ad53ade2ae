import { sql } from 'kysely'
import type { Connection, Dialect, Tx } from '../../database/engine/dialect.ts'
import { isoTime } from '../../foundation/clock.ts'
import { newRequestId } from '../../foundation/request-id.ts'
import { insertRows, type Value } from '../../database/sql/prepared.ts'
import { keyEvents } from './record-changes.ts'
import type { NewEvent } from './event.ts'

const removedAtOnce = 2_000

/** Removes a chunk of expired events with their pending deliveries; `done` is false if there may be more. */
export async function pruneEvents(
  { db: tx }: Connection,
  { before, types }: { before: number; types: 'erasures' | 'others' },
): Promise<{ done: boolean }> {
  // Erasures share the index of all events about keys: the engine uses it only if the condition repeats the index's
  // own.
  const erasures = sql<boolean>`type in (${sql.join(keyEvents.map((type) => sql.lit(type)))}) and type = 'record.erased'`
  const old = tx
    .selectFrom('events')
    .select(['id', 'public_id'])
    .where('at', '<', before)
    .where(types === 'erasures' ? erasures : sql<boolean>`type <> 'record.erased'`)
  const rows = await old.limit(removedAtOnce).execute()
  if (rows.length === 0) return { done: true }
  const [ids, names] = [rows.map(({ id }) => id), rows.map((row) => row.public_id)]
  // The events first: recording a delivery locks its event until the record is visible.
  await tx.deleteFrom('events').where('id', 'in', ids).execute()
  await tx.deleteFrom('webhook_retries').where('event_id', 'in', names).execute()
  return { done: ids.length < removedAtOnce }
}

const notifiedSetting = 'events.backup_overdue'

interface Overdue {
  lastBackupAt: number | null
  dueAt: number
  at: number
}

/** Notifies that the backup is overdue, once per backup without a successor. */
export async function noteBackupOverdue(
  { db: tx, dialect }: Connection,
  { lastBackupAt, dueAt, at }: Overdue,
): Promise<void> {
  const value = String(lastBackupAt ?? 0)
  const noted = await tx
    .insertInto('settings')
    .values({ name: notifiedSetting, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }).where('settings.value', '!=', value))
    .returning('name')
    .executeTakeFirst()
  if (!noted) return
  const data = { last_backup_at: isoTime(lastBackupAt), due_at: isoTime(dueAt) }
  await writeEvents(tx, dialect, [{ type: 'backup.overdue', at, environmentId: null, data }])
}

const rows = {
  table: 'events',
  columns: ['public_id', 'type', 'at', 'account_id', 'entity_id', 'data'],
  put({ type, at, environmentId, entityId = null, data }: NewEvent, values: Value[]): void {
    values.push(`evt_${newRequestId().replaceAll('-', '')}`, type, at, environmentId, entityId, JSON.stringify(data))
  },
} as const

/**
 * Writes events in the transaction of the change they describe: both are committed, or neither. It takes no lock, so it
 * may be called anywhere in the transaction. Without events it runs no statement and wakes no sender.
 */
export async function writeEvents(tx: Tx, dialect: Dialect, events: readonly NewEvent[]): Promise<void> {
  await insertRows({ db: tx, dialect }, rows, events)
  if (events.length > 0) tx.wakesSender = true
}
