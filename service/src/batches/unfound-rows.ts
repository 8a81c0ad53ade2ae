import type { AdminAnswer } from '@vitae/contract/admin'
import type { Store } from '../database/store.ts'
import { csvLine, safeCell } from '../foundation/csv/csv-cells.ts'
import { matchIn, unfoundSamples } from './batch-results.ts'
import type { BatchDeps } from './deps.ts'
import type { BatchOperations } from './store/batch-operations.ts'
import type { StoredBatch } from './store/submit-batch.ts'

interface Deps {
  batches: BatchDeps
  store: Pick<Store<BatchOperations>, 'unfoundRows'>
}

type Row = AdminAnswer<'listUnfoundRows'>['rows'][number]

const rowsAtOnce = 1_000

const columns = ['row', 'input', 'status', 'error', 'request_id'] as const

/** Rows of a batch that ended without a record, in their order. */
export async function unfoundRows(
  deps: Deps,
  batch: StoredBatch,
  ask: { after: number; limit: number },
): Promise<Row[]> {
  const rows =
    batch.mode === 'test'
      ? await unfoundSamples(deps.batches, batch, ask)
      : await deps.store.unfoundRows({ id: batch.id, ...ask })
  return rows.map((row) => {
    const { number, status, error, requestId } = row
    const match = matchIn(row)
    const input = row.input ?? (match ? Object.values(match).join(', ') : null)
    // Only finished rows are included.
    return { row: number, input, status: status ?? 'failed', error, request_id: requestId }
  })
}

/** All of them as CSV, in parts. */
export async function* unfoundCsv(deps: Deps, batch: StoredBatch): AsyncGenerator<string> {
  yield csvLine([...columns])
  for (let after = 0; ;) {
    const rows = await unfoundRows(deps, batch, { after, limit: rowsAtOnce })
    for (const row of rows) yield csvLine(columns.map((column) => safeCell(row[column])))
    const last = rows.at(-1)
    if (!last || rows.length < rowsAtOnce) return
    after = last.row
  }
}
