import type { Connection } from '../database/dialect.ts'
import { writeEvents } from './write-events.ts'
import { isoTime } from '../foundation/clock.ts'

const removedAtOnce = 2_000

/** Removes a chunk of the events that are too old, with what is still to be delivered of them; false where there may be more. */
export async function pruneEvents({ db: tx }: Connection, { before }: { before: number }): Promise<{ done: boolean }> {
  const old = tx.selectFrom('events').select(['id', 'public_id']).where('at', '<', before)
  const rows = await old.limit(removedAtOnce).execute()
  if (rows.length === 0) return { done: true }
  const [ids, names] = [rows.map(({ id }) => id), rows.map((row) => row.public_id)]
  // The events first: a delivery that is being noted holds its event until the note can be seen.
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

/** Notifies that the backup is overdue, once for each backup that none follows. */
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
  await writeEvents(tx, dialect, [{ type: 'backup.overdue', at, accountId: null, data }])
}
