import type { BatchResult } from '../store/run-batches.ts'
import type { StoredBatch } from '../store/submit-batch.ts'
import type { BatchDeps } from '../rows/deps.ts'
import { paidBy, withoutRecord } from '../rows/look-up-row.ts'
import { type KeyedRow, rowIdempotencyHashes, type PaidRequest } from '../store/batch-rows.ts'

const rowsAtOnce = 500

/**
 * Adds the cost of rows that were paid for before a crash and erased before this run, because no result will come for
 * them. Their idempotency records outlive the erasure. Returns what the batch has spent.
 */
export async function countErasedRows(deps: BatchDeps, batch: StoredBatch): Promise<number> {
  const { store, clock, rules } = deps
  const { id, lease } = batch
  let spent = batch.credits
  for (let after = 0; ;) {
    const rows = await store.batches.erasedBatchRows({ id, after, limit: rowsAtOnce })
    const paid = await paidRows(deps, batch, rows)
    const results: BatchResult[] = []
    for (const row of rows) {
      const requestId = paid.get(row.number)?.requestId
      if (requestId === undefined) continue
      const { credits } = await paidBy(store, requestId)
      results.push({ ...withoutRecord(row, 'not_found', 'not_found', requestId), credits })
    }
    const at = clock.now()
    const save = { id, lease, results, answered: false, at, expiresAt: at + rules.keptMs }
    if (results.length > 0) spent = (await store.batches.saveBatchResults(save))?.credits ?? spent
    if (rows.length < rowsAtOnce) return spent
    after = rows.at(-1)?.number ?? after
  }
}

/** The rows that were already paid for, even by another row with the same question, by row number. */
export async function paidRows(
  { lookup, store }: Pick<BatchDeps, 'lookup' | 'store'>,
  { id, account_id: environmentId, public_id: publicId }: StoredBatch,
  rows: readonly KeyedRow[],
): Promise<Map<number, PaidRequest>> {
  if (rows.length === 0) return new Map()
  const hashes = rowIdempotencyHashes(lookup.secret, { environmentId, publicId }, rows)
  const paid = await store.batches.paidBatchRequests({ id, environmentId, hashes: [...new Set(hashes)] })
  const requests = new Map(paid.map((request) => [request.hash, request]))
  return new Map(
    rows.flatMap(({ number }, index) => {
      const request = requests.get(hashes[index] ?? '')
      return request === undefined ? [] : [[number, request] as const]
    }),
  )
}
