import type { StoredBatch } from '../store/submit-batch.ts'
import type { BatchDeps } from '../deps.ts'
import { rowIdempotencyHashes } from '../row-idempotency.ts'

/** Of some rows those that were paid for already, by their number, with the request that paid. */
export async function paidRows(
  { lookup, store }: Pick<BatchDeps, 'lookup' | 'store'>,
  { account_id: accountId, public_id: publicId }: StoredBatch,
  numbers: readonly number[],
): Promise<Map<number, string>> {
  if (numbers.length === 0) return new Map()
  const hashes = rowIdempotencyHashes(lookup.secret, { accountId, publicId }, numbers)
  const paid = await store.paidBatchRequests({ accountId, hashes })
  const requests = new Map(paid.map(({ hash, requestId }) => [hash, requestId]))
  return new Map(
    numbers.flatMap((number, index) => {
      const requestId = requests.get(hashes[index] ?? '')
      return requestId === undefined ? [] : [[number, requestId] as const]
    }),
  )
}
