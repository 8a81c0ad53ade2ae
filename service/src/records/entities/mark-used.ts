import type { Database } from '../../database/dialect.ts'
import { inChunks } from '../in-chunks.ts'

/** Notes when records were last served, for the retention of unused ones. Called now and then for many, not per lookup. */
export async function markUsed(
  { db }: Database,
  { entityIds, at }: { entityIds: number[]; at: number },
): Promise<void> {
  // In the order in which a save locks entities, so that the two cannot deadlock.
  const ids = [...new Set(entityIds)].toSorted((a, b) => a - b)
  for (const chunk of inChunks(ids, 500)) {
    await db.updateTable('entities').set({ used_at: at }).where('id', 'in', chunk).where('used_at', '<', at).execute()
  }
}
