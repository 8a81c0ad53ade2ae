import { Readable } from 'node:stream'
import { BatchId } from '@vitae/contract'
import Type, { type Static } from 'typebox'
import { matchIn, unfoundSamples } from '../../../batches/batch-results.ts'
import type { StoredBatch } from '../../../batches/store/submit-batch.ts'
import { csvLine, safeCell } from '../../../foundation/csv/csv-cells.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { nextCursor, numberCursor, pageQuery } from '../pagination.ts'
import { Cursor, orNull } from '../schemas.ts'
import { findBatch } from './batch-view.ts'

const Row = Type.Object({
  row: Type.Integer({ description: 'Its number in the file.' }),
  input: orNull(Type.String({ description: 'What was given, of a match its values; null after an erasure.' })),
  status: Type.Enum(['not_found', 'invalid', 'failed', 'found']),
  error: orNull(Type.String()),
  request_id: orNull(Type.String({ description: 'The call that was made for it.' })),
})
type Row = Static<typeof Row>
const rowsAtOnce = 1_000
const columns = ['row', 'input', 'status', 'error', 'request_id'] as const

/** The rows of a batch that ended without a record, each with its reason: a page at a time, or all of them as a file. */
export const batchRowRoutes = adminRoute('batches', (deps: AppDeps) => ({
  route: 'GET /batches/:id/unfound',
  operationId: 'listUnfoundRows',
  summary: 'The rows of a batch that ended without a record, and why',
  description: 'As CSV all of them come, as JSON page by page. The look is audited: what was given may name people.',
  role: 'operator',
  params: BatchId,
  query: Type.Object({ ...pageQuery, format: Type.Optional(Type.Enum(['json', 'csv'])) }),
  response: Type.Object({ rows: Type.Array(Row), next_cursor: Cursor }),
  produces: { 'text/csv': Type.String() },
  project: async ({ params }) => (await findBatch(deps, params.id)).project,
  async handle({ admin, params: { id: publicId }, query, reply }) {
    const batch = await findBatch(deps, publicId)
    const { cursor, limit = 50, format = 'json' } = query
    const entry = { at: deps.clock.now(), actor: admin.actor, action: 'batch.unfound', subject: publicId }
    await deps.store.recordAudit({ ...entry, after: { format } })
    const after = numberCursor(cursor) ?? 0
    if (format === 'csv') return reply.type('text/csv; charset=utf-8').send(Readable.from(csvOf(deps, batch)))
    const rows = await pageOf(deps, batch, { after, limit })
    return { rows, next_cursor: nextCursor(rows, limit, ({ row }) => String(row)) }
  },
}))

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
