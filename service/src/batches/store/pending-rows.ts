import type { Connection } from '../../database/dialect.ts'
import type { BatchInputRow } from '../../database/tables/batches.ts'

/** A row to look up. Its other columns stay in the store. */
export type PendingRow = Omit<BatchInputRow, 'batch_id' | 'names' | 'columns'>

interface Page {
  id: number
  after: number
  limit: number
}

/** The next rows with their results, in the order of the input. */
function rowsAfter(db: Connection['db'], { id, after, limit }: Page) {
  return db
    .selectFrom('batch_rows')
    .leftJoin('batch_results', (join) =>
      join
        .onRef('batch_results.batch_id', '=', 'batch_rows.batch_id')
        .onRef('batch_results.number', '=', 'batch_rows.number'),
    )
    .select(['batch_rows.number', 'batch_rows.input', 'batch_rows.subject', 'batch_rows.question'])
    .where('batch_rows.batch_id', '=', id)
    .where('batch_rows.number', '>', after)
    .orderBy('batch_rows.number')
    .limit(limit)
}

/** The next rows without a result. */
export function pendingBatchRows({ db }: Connection, page: Page): Promise<PendingRow[]> {
  return rowsAfter(db, page).where('batch_results.number', 'is', null).execute()
}

/** A paid lookup. */
export interface PaidRequest {
  hash: string
  requestId: string
  /** A row of the batch already includes its charge. */
  isCounted: boolean
}

/** The idempotency records of rows whose lookup was already paid for, and the request that paid. */
export async function paidBatchRequests(
  { db }: Connection,
  { id, environmentId, hashes }: { id: number; environmentId: number; hashes: string[] },
): Promise<PaidRequest[]> {
  const paid = await db
    .selectFrom('idempotency')
    .select(['hash', 'request_id as requestId'])
    .where('account_id', '=', environmentId)
    .where('hash', 'in', [...hashes, ''])
    .where('state', '=', 'done')
    .execute()
  const noted = await db
    .selectFrom('batch_results')
    .select('request_id')
    .where('batch_id', '=', id)
    .where('request_id', 'in', [...paid.map(({ requestId }) => requestId), ''])
    .execute()
  const counted = new Set(noted.map(({ request_id }) => request_id))
  return paid.map((one) => ({ ...one, isCounted: counted.has(one.requestId) }))
}

/** The next rows that an erasure ended and whose cost is not counted yet. */
export function erasedBatchRows({ db }: Connection, page: Page): Promise<PendingRow[]> {
  return rowsAfter(db, page)
    .where('batch_rows.input', 'is', null)
    .where('batch_rows.question', 'is', null)
    .where('batch_results.status', '=', 'not_found')
    .where('batch_results.request_id', 'is', null)
    .execute()
}
