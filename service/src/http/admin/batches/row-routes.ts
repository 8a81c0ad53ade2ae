import { Readable } from 'node:stream'
import { unfoundCsv, unfoundRows } from '../../../batches/batch-results.ts'
import { nextCursor, numberCursor } from '../route/pagination.ts'
import { findBatch } from './batch-view.ts'
import type { AdminHandlers } from '../route/admin-route.ts'

export const rowHandlers = {
  listUnfoundRows: {
    project: async ({ params }, deps) => (await findBatch(deps, params.id)).project,
    async handle({ admin, params: { id: publicId }, query, reply }, deps) {
      const batch = await findBatch(deps, publicId)
      const { cursor, limit = 50, format = 'json' } = query
      const entry = { at: deps.clock.now(), actor: admin.actor, action: 'batch.unfound', subject: publicId }
      await deps.store.recordAudit({ ...entry, after: { format } })
      if (format === 'csv') return reply.type('text/csv; charset=utf-8').send(Readable.from(unfoundCsv(deps, batch)))
      const rows = await unfoundRows(deps, batch, { after: numberCursor(cursor) ?? 0, limit })
      return { rows, next_cursor: nextCursor(rows, limit, ({ row }) => String(row)) }
    },
  },
} satisfies Partial<AdminHandlers>
