import type { Connection } from '../database/dialect.ts'
import { writeEvents } from './write-events.ts'

const removedAtOnce = 2_000

/** Removes a chunk of the events that are too old; false where there may be more. */
export async function pruneEvents({ db }: Connection, { before }: { before: number }): Promise<{ done: boolean }> {
  const rows = await db.selectFrom('events').select('id').where('at', '<', before).limit(removedAtOnce).execute()
  const ids = rows.map(({ id }) => id)
  if (ids.length > 0) await db.deleteFrom('events').where('id', 'in', ids).execute()
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
  const text = (time: number) => new Date(time).toISOString()
  const data = { last_backup_at: lastBackupAt === null ? null : text(lastBackupAt), due_at: text(dueAt) }
  await writeEvents(tx, dialect, [{ type: 'backup.overdue', at, accountId: null, data }])
}
