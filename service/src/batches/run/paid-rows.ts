import type { StoredBatch } from '../store/submit-batch.ts'
import type { BatchDeps } from '../deps.ts'
import { type KeyedRow, rowIdempotencyHashes } from '../row-idempotency.ts'
import type { PaidRequest } from '../store/pending-rows.ts'

/** The rows that were already paid for, even by another row with the same question, by row number. */
export async function paidRows(
  { lookup, store }: Pick<BatchDeps, 'lookup' | 'store'>,
  { id, account_id: environmentId, public_id: publicId }: StoredBatch,
  rows: readonly KeyedRow[],
): Promise<Map<number, PaidRequest>> {
  if (rows.length === 0) return new Map()
  const hashes = rowIdempotencyHashes(lookup.secret, { environmentId, publicId }, rows)
  const paid = await store.paidBatchRequests({ id, environmentId, hashes: [...new Set(hashes)] })
  const requests = new Map(paid.map((request) => [request.hash, request]))
  return new Map(
    rows.flatMap(({ number }, index) => {
      const request = requests.get(hashes[index] ?? '')
      return request === undefined ? [] : [[number, request] as const]
    }),
  )
}
