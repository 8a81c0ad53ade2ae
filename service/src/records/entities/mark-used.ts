import type { Connection } from '../../database/dialect.ts'
import { overTuples } from '../../database/sql/bulk-rows.ts'

const setUse = {
  text: `update entities set used_at = v.column2 from ([values]) as v
    where id = v.column1 and coalesce(used_at, 0) < v.column2`,
  tuple: ['cast(? as bigint)', 'cast(? as bigint)'],
}

/**
 * Notes when records were last served, for the retention of unused ones and the subject export. Called now and then for
 * many, not per lookup. A record that is being saved at this moment is passed over: the save notes its use itself.
 */
export async function markUsed(
  connection: Connection,
  { used }: { used: { id: number; at: number }[] },
): Promise<void> {
  const free = await unlocked(connection, used)
  const rows = free.map(({ id, at }): [number, number] => [id, at])
  await overTuples(connection, setUse, rows)
}

/** On PostgreSQL a save locks entities in an order of its own: waiting for one could deadlock. */
async function unlocked<Use extends { id: number }>({ db, dialect }: Connection, used: Use[]): Promise<Use[]> {
  if (dialect === 'sqlite' || used.length === 0) return used
  const ids = used.map(({ id }) => id)
  const rows = await db.selectFrom('entities').select('id').where('id', 'in', ids).forUpdate().skipLocked().execute()
  const free = new Set(rows.map(({ id }) => id))
  return used.filter(({ id }) => free.has(id))
}
