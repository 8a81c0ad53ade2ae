import { Readable } from 'node:stream'
import { batchResults, unfoundCsv, unfoundRows } from '../../../batches/batch-results.ts'
import { resultTypes } from '../../callers/batch-request.ts'
import type { AppDeps } from '../../exchange/deps.ts'
import { nextCursor, numberCursor } from '../route/pagination.ts'
import { given } from '../../../foundation/schema/given.ts'
import type { AdminHandlers } from '../route/admin-route.ts'
import type { OperatorBatch } from '@vitae/contract/admin'
import { batchView } from '../../../batches/batch-view.ts'
import { Failure } from '../../../foundation/failure.ts'
import type { OwnedBatch } from '../../../batches/store/show-batch.ts'

/** A batch as operators see it: the caller's view plus its owner. */
export function operatorBatch(row: OwnedBatch, now: number): OperatorBatch {
  const { project, environment, mode, key_id, key_label } = row
  return { ...batchView(row, now), project, environment, mode, key_id, key_label }
}

/** Finds a batch by id, or fails with 404. */
export async function findBatch({ store }: Pick<AppDeps, 'store'>, id: string): Promise<OwnedBatch> {
  const batch = await store.batches.ownedBatch({ publicId: id })
  if (batch) return batch
  throw new Failure('not_found', { detail: `There is no batch ${id}. Batches are removed some days after their end.` })
}

function findNamed({ params }: { params: { id: string } }, deps: AppDeps) {
  return findBatch(deps, params.id)
}

/** Batches of all environments: list, show, cancel, resume, download. */
export const batchHandlers = {
  showBatch: {
    find: findNamed,
    handle: async (_call, deps, batch: OwnedBatch) => operatorBatch(batch, deps.clock.now()),
  },

  downloadBatch: {
    find: findNamed,
    async handle({ admin, params: { id }, query: { format = 'ndjson', after = 0 }, reply }, deps, batch: OwnedBatch) {
      const at = deps.clock.now()
      const entry = { at, actor: admin.actor, action: 'batch.download', subject: id, after: { format, after } }
      await deps.store.audit.recordAudit(entry)
      reply.header('Content-Disposition', `attachment; filename="${id}.${format}"`)
      const rows = batchResults(deps.batches, batch, { format, after })
      return reply.type(resultTypes[format]).send(Readable.from(rows, { objectMode: false }))
    },
  },

  async listBatches({ admin, query }, { store, clock }) {
    const { limit = 50, cursor, environment = null, key_id: keyId = null, status = null } = query
    const project = admin.project ?? query.project ?? null
    const wanted = {
      project,
      environment,
      keyId,
      status,
      before: numberCursor(cursor),
      limit,
      ...given({ text: query.text }),
    }
    const rows = await store.batches.listOwnedBatches(wanted)
    const batches = rows.map((row) => operatorBatch(row, clock.now()))
    return { batches, next_cursor: nextCursor(rows, limit, ({ id }) => String(id)) }
  },

  cancelBatch: {
    find: findNamed,
    async handle({ admin, params: { id } }, deps, { account_id: environmentId }: OwnedBatch) {
      const at = deps.clock.now()
      const expiresAt = at + deps.batches.rules.keptMs
      await deps.store.batches.cancelBatch({ environmentId, publicId: id, at, expiresAt, actor: admin.actor })
      return operatorBatch(await findBatch(deps, id), at)
    },
  },

  resumeBatch: {
    find: findNamed,
    async handle({ admin, params: { id }, body }, deps, { account_id: environmentId }: OwnedBatch) {
      const limit = body.max_credits === undefined ? {} : { maxCredits: body.max_credits }
      const act = { actor: admin.actor, at: deps.clock.now() }
      await deps.store.batches.resumeBatch({ environmentId, publicId: id, ...limit, act })
      deps.batches.wake()
      return operatorBatch(await findBatch(deps, id), deps.clock.now())
    },
  },
} satisfies Partial<AdminHandlers>

export const rowHandlers = {
  listUnfoundRows: {
    find: findNamed,
    async handle({ admin, params: { id: publicId }, query, reply }, deps, batch: OwnedBatch) {
      const { cursor, limit = 50, format = 'json' } = query
      const entry = { at: deps.clock.now(), actor: admin.actor, action: 'batch.unfound', subject: publicId }
      await deps.store.audit.recordAudit({ ...entry, after: { format } })
      if (format === 'csv') return reply.type('text/csv; charset=utf-8').send(Readable.from(unfoundCsv(deps, batch)))
      const rows = await unfoundRows(deps, batch, { after: numberCursor(cursor) ?? 0, limit })
      return { rows, next_cursor: nextCursor(rows, limit, ({ row }) => String(row)) }
    },
  },
} satisfies Partial<AdminHandlers>
