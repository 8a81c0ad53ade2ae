import type { BatchDeps } from './deps.ts'
import { rowMarkHashes } from './row-mark.ts'

const rowsAtOnce = 1_000
const batchesAtOnce = 20

/** Removes batches whose time is over, in short steps that let calls through, and fails those that were paused for as long. */
export async function removeExpiredBatches(deps: BatchDeps): Promise<number> {
  const at = deps.clock.now()
  const { keptMs } = deps.rules
  await deps.store.failForgottenBatches({ before: at - keptMs, at, expiresAt: at + keptMs })
  let removed = 0
  for (;;) {
    const expired = await deps.store.expiredBatches({ now: deps.clock.now(), limit: batchesAtOnce })
    for (const batch of expired) await removeRows(deps, batch, { withMarks: true })
    removed += expired.length
    if (expired.length < batchesAtOnce) return removed
  }
}

/** Removes the rows of a batch, the marks of their lookups, and then the batch. */
export async function removeRows(
  { store, lookup }: BatchDeps,
  { id, publicId, accountId, rows }: { id: number; publicId: string; accountId: number; rows: number },
  { withMarks }: { withMarks: boolean },
): Promise<void> {
  for (let from = 0; from < rows; from += rowsAtOnce) {
    const numbers = Array.from({ length: Math.min(rowsAtOnce, rows - from) }, (_, index) => from + index + 1)
    const marks = withMarks ? rowMarkHashes(lookup.secret, { accountId, publicId }, numbers) : []
    await store.removeBatchRows({ id, accountId, upTo: from + rowsAtOnce, marks })
  }
  await store.removeBatch({ id })
}
