import type { StoredBatch } from '../store/submit-batch.ts'
import { optionsOf } from '../batch-settings.ts'
import type { BatchDeps } from '../deps.ts'
import { sampleRow } from '../look-up-row.ts'

const rowsAtOnce = 50

/**
 * Runs a batch of a test key: only its counts are stored, because its samples are recomputed on each read. If it is
 * stopped, the next runner continues.
 */
export async function runSamples(deps: BatchDeps, batch: StoredBatch, stop: AbortSignal): Promise<void> {
  const { id, lease, public_id: publicId, kind } = batch
  const counts = { found: 0, not_found: 0, invalid: 0, failed: 0 }
  const options = optionsOf(batch)
  for (let after = 0; ;) {
    const rows = await deps.store.pendingBatchRows({ id, after, limit: rowsAtOnce })
    for (const row of rows) counts[sampleRow(deps, { publicId, kind, options }, row).result.status]++
    if (rows.length < rowsAtOnce) break
    if (stop.aborted) return deps.store.leaveBatch({ id, lease, end: { status: 'running' } })
    after = rows.at(-1)?.number ?? after
  }
  const at = deps.clock.now()
  await deps.store.completeSampleBatch({ id, counts, at, expiresAt: at + deps.rules.keptMs })
}
