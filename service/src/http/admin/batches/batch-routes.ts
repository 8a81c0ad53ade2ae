import { Readable } from 'node:stream'
import { batchResults } from '../../../batches/batch-results.ts'
import { resultTypes } from '../../callers/batch-request.ts'
import type { AppDeps } from '../../exchange/deps.ts'
import { nextCursor, numberCursor } from '../route/pagination.ts'
import { given } from '../../../foundation/schema/given.ts'
import { findBatch, operatorBatch } from './batch-view.ts'
import type { AdminHandlers } from '../route/admin-route.ts'

async function projectOfBatch({ params }: { params: { id: string } }, deps: AppDeps) {
  return (await findBatch(deps, params.id)).project
}

/** Batches of all environments: list, show, cancel, resume, download. */
export const batchHandlers = {
  showBatch: {
    project: projectOfBatch,
    handle: async ({ params: { id } }, deps) => operatorBatch(await findBatch(deps, id), deps.clock.now()),
  },

  downloadBatch: {
    project: projectOfBatch,
    async handle({ admin, params: { id }, query: { format = 'ndjson', after = 0 }, reply }, deps) {
      const batch = await findBatch(deps, id)
      const at = deps.clock.now()
      const entry = { at, actor: admin.actor, action: 'batch.download', subject: id, after: { format, after } }
      await deps.store.recordAudit(entry)
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
    const rows = await store.listOwnedBatches(wanted)
    const batches = rows.map((row) => operatorBatch(row, clock.now()))
    return { batches, next_cursor: nextCursor(rows, limit, ({ id }) => String(id)) }
  },

  cancelBatch: {
    project: projectOfBatch,
    async handle({ admin, params: { id } }, deps) {
      const { account_id: environmentId } = await findBatch(deps, id)
      const at = deps.clock.now()
      const expiresAt = at + deps.batches.rules.keptMs
      await deps.store.cancelBatch({ environmentId, publicId: id, at, expiresAt, actor: admin.actor })
      return operatorBatch(await findBatch(deps, id), at)
    },
  },

  resumeBatch: {
    project: projectOfBatch,
    async handle({ admin, params: { id }, body }, deps) {
      const { account_id: environmentId } = await findBatch(deps, id)
      const limit = body.max_credits === undefined ? {} : { maxCredits: body.max_credits }
      const act = { actor: admin.actor, at: deps.clock.now() }
      await deps.store.resumeBatch({ environmentId, publicId: id, ...limit, act })
      deps.batches.wake()
      return operatorBatch(await findBatch(deps, id), deps.clock.now())
    },
  },
} satisfies Partial<AdminHandlers>
