import type { Tx } from '../dialect.ts'

/** The setting of a restored store whose batches, watches and webhooks wait. */
export const workSetting = { name: 'work', stopped: 'stopped', running: 'running' } as const

/**
 * Whether background work waits until somebody resumes it. It is asked where work is taken, so that every node obeys and a
 * resumption needs to be told to none.
 */
export async function isWorkStopped(db: Pick<Tx, 'selectFrom'>): Promise<boolean> {
  const { name, stopped } = workSetting
  const row = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value === stopped
}
