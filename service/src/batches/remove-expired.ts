import type { BatchDeps } from './deps.ts'
import { rowMarkHashes } from './row-mark.ts'

const rowsAtOnce = 1_000
const batchesAtOnce = 20

/** Removes batches whose time is over, in short steps that let calls through. */
export async function removeExpiredBatches(deps: BatchDeps): Promise<number> {
  let removed = 0
  for (;;) {
    const expired = await deps.store.expiredBatches({ now: deps.clock.now(), limit: batchesAtOnce })
    for (const batch of expired) await removeRows(deps, batch, batch.rows, { withMarks: true })
    removed += expired.length
    if (expired.length < batchesAtOnce) return removed
  }
}

/** Removes the rows of a batch, the marks of their lookups, and then the batch. */
export async function removeRows(
  { store, lookup }: BatchDeps,
  { id, publicId, accountId }: { id: number; publicId: string; accountId: number },
  rows: number,
  { withMarks }: { withMarks: boolean },
): Promise<void> {
  for (let from = 0; from < rows; from += rowsAtOnce) {
    const numbers = Array.from({ length: Math.min(rowsAtOnce, rows - from) }, (_, index) => from + index + 1)
    const marks = withMarks ? rowMarkHashes(lookup.secret, { accountId, publicId }, numbers) : []
    await store.removeBatchRows({ id, accountId, upTo: from + rowsAtOnce, marks })
  }
  await store.removeBatch({ id })
}
