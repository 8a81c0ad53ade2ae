import type { BatchResult } from '../store/run-batches.ts'
import type { StoredBatch } from '../store/submit-batch.ts'
import type { BatchDeps } from '../deps.ts'
import { paidBy, withoutRecord } from '../look-up-row.ts'
import { paidRows } from './paid-rows.ts'

const rowsAtOnce = 500

/**
 * Adds the cost of rows that were paid for before a crash and erased before this run, because no result will come for
 * them. Their idempotency records outlive the erasure. Returns what the batch has spent.
 */
export async function countErasedRows(deps: BatchDeps, batch: StoredBatch): Promise<number> {
  const { store, clock, rules } = deps
  const { id } = batch
  let spent = batch.credits
  for (let after = 0; ;) {
    const rows = await store.erasedBatchRows({ id, after, limit: rowsAtOnce })
    const paid = await paidRows(deps, batch, rows)
    const results: BatchResult[] = []
    for (const row of rows) {
      const requestId = paid.get(row.number)?.requestId
      if (requestId === undefined) continue
      const { credits } = await paidBy(store, requestId)
      results.push({ ...withoutRecord(row, 'not_found', 'not_found', requestId), credits })
    }
    const at = clock.now()
    const save = { id, results, answered: false, at, expiresAt: at + rules.keptMs }
    if (results.length > 0) spent = (await store.saveBatchResults(save))?.credits ?? spent
    if (rows.length < rowsAtOnce) return spent
    after = rows.at(-1)?.number ?? after
  }
}
