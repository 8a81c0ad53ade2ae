import type { Connection } from '../../database/dialect.ts'
import { insertRows } from '../../database/sql/bulk-rows.ts'
import type { BatchInputRow } from '../../database/tables/batches.ts'
import type { KeyedRow } from '../row-idempotency.ts'

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
