import type { Tx } from '../engine/dialect.ts'

/** The setting of a restored store whose batches, watches and webhooks are stopped. */
export const workSetting = { name: 'work', stopped: 'stopped', running: 'running' } as const

/**
 * Whether background work is stopped until somebody resumes it. It is checked where work is claimed, so that every node
 * obeys and none has to be notified when it resumes.
 */
export async function isWorkStopped(db: Pick<Tx, 'selectFrom'>): Promise<boolean> {
  const { name, stopped } = workSetting
  const row = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value === stopped
}
