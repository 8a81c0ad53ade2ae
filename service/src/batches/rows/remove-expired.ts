import type { BatchDeps } from './deps.ts'
import { rowIdempotencyHashes } from '../store/batch-rows.ts'

const rowsAtOnce = 1_000
const batchesAtOnce = 20

/** Removes expired batches in short steps that let calls through, and fails batches that were paused for as long. */
export async function removeExpiredBatches(deps: BatchDeps): Promise<number> {
  const at = deps.clock.now()
  const { keptMs } = deps.rules
  await deps.store.batches.failForgottenBatches({ before: at - keptMs, at, expiresAt: at + keptMs })
  let removed = 0
  for (;;) {
    const expired = await deps.store.batches.expiredBatches({ now: deps.clock.now(), limit: batchesAtOnce })
    for (const batch of expired) await removeRows(deps, batch, { withIdempotency: true })
    removed += expired.length
    if (expired.length < batchesAtOnce) return removed
  }
}

/** Removes the rows of a batch, the idempotency records of their lookups, and then the batch. */
export async function removeRows(
  { store, lookup }: BatchDeps,
  { id, publicId, environmentId, rows }: { id: number; publicId: string; environmentId: number; rows: number },
  { withIdempotency }: { withIdempotency: boolean },
): Promise<void> {
  for (let from = 0; from < rows; from += rowsAtOnce) {
    const keyed = withIdempotency ? await store.batches.keyedBatchRows({ id, after: from, limit: rowsAtOnce }) : []
    const hashes = [...new Set(rowIdempotencyHashes(lookup.secret, { environmentId, publicId }, keyed))]
    await store.batches.removeBatchRows({ id, environmentId, upTo: from + rowsAtOnce, hashes })
  }
  await store.batches.removeBatch({ id })
}
