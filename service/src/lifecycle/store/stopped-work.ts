import { appendAudit } from '../../audit/audit.ts'
import type { Connection, Tx } from '../../database/engine/dialect.ts'
import { removeExportsOfRecords } from '../../database/sql/exports-of-records.ts'
import { isWorkStopped, workSetting } from '../../database/sql/stopped-work.ts'

const unfinished = ['queued', 'running', 'paused'] as const

/**
 * Stops the batches, watches and webhooks of a restored store, because the original service may still do the same work.
 * Returns false if the store has no such work.
 */
export async function stopWork({ db }: Connection, _args: null): Promise<boolean> {
  // They may name somebody who was erased after the backup.
  await removeExportsOfRecords(db)
  const batch = await db
    .selectFrom('batches')
    .select('id')
    .where('status', 'in', unfinished)
    .limit(1)
    .executeTakeFirst()
  const watch = await db.selectFrom('watches').select('id').limit(1).executeTakeFirst()
  const webhook = await db.selectFrom('webhooks').select('id').limit(1).executeTakeFirst()
  if (!batch && !watch && !webhook) return false
  await setWork(db, workSetting.stopped)
  return true
}

/** Resumes stopped work on every node; false if none was stopped. */
export async function resumeWork(
  { db: tx, dialect }: Connection,
  args: { at: number; actor: string },
): Promise<boolean> {
  if (!(await isWorkStopped(tx))) return false
  await setWork(tx, workSetting.running)
  await appendAudit(tx, dialect, { ...args, action: 'store.resume_work' })
  tx.wakesSender = true
  return true
}

/** Whether batches, watches and webhooks are stopped. */
export function workStopped({ db }: Connection, _args: null): Promise<boolean> {
  return isWorkStopped(db)
}

async function setWork(db: Pick<Tx, 'insertInto'>, value: string): Promise<void> {
  await db
    .insertInto('settings')
    .values({ name: workSetting.name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}
