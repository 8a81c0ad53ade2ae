import type { BatchResult } from '../../records/batches/run-batches.ts'
import type { StoredBatch } from '../../records/batches/submit-batch.ts'
import type { BatchDeps } from '../deps.ts'
import { paidBy, withoutRecord } from '../look-up-row.ts'
import { rowMarkHashes } from '../row-mark.ts'

const rowsAtOnce = 500

/**
 * Adds to a batch what its rows cost that were paid for before a crash and erased before this run: no result of theirs
 * comes any more. Their marks outlive the erasure. Gives what the batch has spent.
 */
export async function countErasedRows({ store, clock, lookup, rules }: BatchDeps, batch: StoredBatch): Promise<number> {
  const { id, account_id: accountId, public_id: publicId } = batch
  let spent = batch.credits
  for (let after = 0; ;) {
    const rows = await store.erasedBatchRows({ id, after, limit: rowsAtOnce })
    const numbers = rows.map(({ number }) => number)
    const hashes = rowMarkHashes(lookup.secret, { accountId, publicId }, numbers)
    const marks = rows.length > 0 ? await store.paidBatchMarks({ accountId, hashes }) : []
    const requests = new Map(marks.map(({ hash, requestId }) => [hash, requestId]))
    const results: BatchResult[] = []
    for (const [index, row] of rows.entries()) {
      const requestId = requests.get(hashes[index] ?? '')
      if (requestId === undefined) continue
      const { credits } = await paidBy(store, requestId)
      results.push({ ...withoutRecord(row, 'not_found', 'not_found', requestId), credits })
    }
    const at = clock.now()
    const save = { id, results, answered: false, at, expiresAt: at + rules.keptMs }
    if (results.length > 0) spent = (await store.saveBatchResults(save))?.credits ?? spent
    if (rows.length < rowsAtOnce) return spent
    after = numbers.at(-1) ?? after
  }
}
