import type { Connection } from '../../database/engine/dialect.ts'
import { insertRows } from '../../database/sql/prepared.ts'
import type { BatchInputRow } from '../../database/tables/batches.ts'
import { idempotencyHash } from '../../credits/idempotency-key.ts'

/** The parts of a row that determine its idempotency key. */
export interface KeyedRow {
  number: number
  subject: string | null
}

/**
 * The idempotency key of a row. It contains spaces, so no caller can send it. Rows with the same question share one
 * key, so that one of them pays and all are answered, on any node and after any crash. Batches of earlier versions have
 * no subjects and one key per row.
 */
export function rowIdempotencyKey(publicId: string, { number, subject }: KeyedRow): string {
  return subject === null ? `batch ${publicId} row ${number}` : `batch ${publicId} of ${subject}`
}

/** The idempotency keys of some rows, in stored form. */
export function rowIdempotencyHashes(
  secret: string,
  { environmentId, publicId }: { environmentId: number; publicId: string },
  rows: readonly KeyedRow[],
): string[] {
  return rows.map((row) => idempotencyHash(secret, environmentId, rowIdempotencyKey(publicId, row)))
}

/** A row without its position. */
export type NewBatchRow = Omit<BatchInputRow, 'batch_id' | 'number'>

/** Adds the next rows in one short transaction, so that calls get through before the next one. */
export async function addBatchRows(
  connection: Connection,
  { id, after, rows }: { id: number; after: number; rows: NewBatchRow[] },
): Promise<void> {
  await insertRows(
    connection,
    {
      table: 'batch_rows',
      columns: ['batch_id', 'number', 'input', 'subject', 'names', 'question', 'columns'],
      put: ({ number, input, subject, names, question, columns }, values) =>
        values.push(id, number, input, subject, names, question, columns),
    },
    rows.map((row, index) => ({ ...row, number: after + index + 1 })),
  )
}

/** Stores the subjects of rows, if they were unknown when the rows were added. */
export async function setSubjects(
  { db: tx }: Connection,
  { id, rows }: { id: number; rows: (KeyedRow & Pick<NewBatchRow, 'names'>)[] },
): Promise<void> {
  for (const { number, subject, names } of rows) {
    const row = tx.updateTable('batch_rows').where('batch_id', '=', id).where('number', '=', number)
    await row.set({ subject, names }).execute()
  }
}

/** The facts of the next rows that determine their idempotency keys. */
export function keyedBatchRows(
  { db }: Connection,
  { id, after, limit }: { id: number; after: number; limit: number },
): Promise<KeyedRow[]> {
  return db
    .selectFrom('batch_rows')
    .select(['number', 'subject'])
    .where('batch_id', '=', id)
    .where('number', '>', after)
    .orderBy('number')
    .limit(limit)
    .execute()
}

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
