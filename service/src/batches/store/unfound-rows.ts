import type { Connection } from '../../database/dialect.ts'
import type { BatchRowStatus } from '../../database/tables/batches.ts'

/** A row without a record, and the reason. */
export interface UnfoundRow {
  number: number
  input: string | null
  /** The question, if it is more than an id. */
  question: string | null
  status: BatchRowStatus | null
  error: string | null
  requestId: string | null
}

/** The rows of a batch that ended without a record, in the order of the file. */
export function unfoundRows(
  { db }: Connection,
  { id, after, limit }: { id: number; after: number; limit: number },
): Promise<UnfoundRow[]> {
  return db
    .selectFrom('batch_results as result')
    .innerJoin('batch_rows', (join) =>
      join.onRef('batch_rows.batch_id', '=', 'result.batch_id').onRef('batch_rows.number', '=', 'result.number'),
    )
    .select(['result.number', 'batch_rows.input', 'batch_rows.question'])
    .select(['result.status', 'result.error', 'result.request_id as requestId'])
    .where('result.batch_id', '=', id)
    .where('result.number', '>', after)
    .where('result.status', '!=', 'found')
    .orderBy('result.number')
    .limit(limit)
    .execute()
}
