import { Readable } from 'node:stream'
import type { AdminAnswer } from '@vitae/contract/admin'
import { matchIn, unfoundSamples } from '../../../batches/batch-results.ts'
import type { StoredBatch } from '../../../batches/store/submit-batch.ts'
import { csvLine, safeCell } from '../../../foundation/csv/csv-cells.ts'
import type { AppDeps } from '../../deps.ts'
import { nextCursor, numberCursor } from '../pagination.ts'
import { findBatch } from './batch-view.ts'
import type { AdminHandlers } from '../admin-route.ts'

type Row = AdminAnswer<'listUnfoundRows'>['rows'][number]

const rowsAtOnce = 1_000

const columns = ['row', 'input', 'status', 'error', 'request_id'] as const

export const rowHandlers = {
  listUnfoundRows: {
    project: async ({ params }, deps) => (await findBatch(deps, params.id)).project,
    async handle({ admin, params: { id: publicId }, query, reply }, deps) {
      const batch = await findBatch(deps, publicId)
      const { cursor, limit = 50, format = 'json' } = query
      const entry = { at: deps.clock.now(), actor: admin.actor, action: 'batch.unfound', subject: publicId }
      await deps.store.recordAudit({ ...entry, after: { format } })
      const after = numberCursor(cursor) ?? 0
      if (format === 'csv') return reply.type('text/csv; charset=utf-8').send(Readable.from(csvOf(deps, batch)))
      const rows = await pageOf(deps, batch, { after, limit })
      return { rows, next_cursor: nextCursor(rows, limit, ({ row }) => String(row)) }
    },
  },
} satisfies Partial<AdminHandlers>

async function pageOf(deps: AppDeps, batch: StoredBatch, ask: { after: number; limit: number }): Promise<Row[]> {
  const rows =
    batch.mode === 'test'
      ? await unfoundSamples(deps.batches, batch, ask)
      : await deps.store.unfoundRows({ id: batch.id, ...ask })
  return rows.map((row) => {
    const { number, status, error, requestId } = row
    const match = matchIn(row)
    const input = row.input ?? (match ? Object.values(match).join(', ') : null)
    // Only rows that have ended are among them.
    return { row: number, input, status: status ?? 'failed', error, request_id: requestId }
  })
}

async function* csvOf(deps: AppDeps, batch: StoredBatch): AsyncGenerator<string> {
  yield csvLine([...columns])
  for (let after = 0; ;) {
    const rows = await pageOf(deps, batch, { after, limit: rowsAtOnce })
    for (const row of rows) yield csvLine(columns.map((column) => safeCell(row[column])))
    const last = rows.at(-1)
    if (!last || rows.length < rowsAtOnce) return
    after = last.row
  }
}
