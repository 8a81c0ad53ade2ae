import { Readable } from 'node:stream'
import { BatchId, BatchResume, batchStatuses, ResultsQuery } from '@vitae/contract'
import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import { batchResults } from '../../../batches/batch-results.ts'
import { resultTypes } from '../../callers/batch-request.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { nextCursor, numberCursor, pageQuery } from '../pagination.ts'
import { Cursor, given } from '../schemas.ts'
import { findBatch, OperatorBatch, operatorBatch } from './batch-view.ts'
import { submitRoutes } from './submit-routes.ts'

const tag = 'batches'

/** Batches of all environments: handed in for a key, listed, followed, cancelled, resumed, downloaded. */
export function batchRoutes(app: FastifyInstance, deps: AppDeps): void {
  submitRoutes(app, deps)
  listRoute(app, deps)
  showBatchRoute(app, deps)
  cancelBatchRoute(app, deps)
  resumeBatchRoute(app, deps)
  downloadBatchRoute(app, deps)
}

const projectOfBatch =
  (deps: AppDeps) =>
  async ({ params }: { params: Static<typeof BatchId> }) =>
    (await findBatch(deps, params.id)).project

const showBatchRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'GET /batches/:id',
  operationId: 'showBatch',
  summary: 'How far a batch is, and why it waits',
  role: 'viewer',
  params: BatchId,
  response: OperatorBatch,
  project: projectOfBatch(deps),
  handle: async ({ params: { id } }) => operatorBatch(await findBatch(deps, id), deps.clock.now()),
}))

const downloadBatchRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'GET /batches/:id/results',
  operationId: 'downloadBatch',
  summary: 'The results of a batch, as NDJSON or CSV',
  description: 'While it runs, up to the first row that still waits. The download is audited.',
  role: 'operator',
  params: BatchId,
  query: ResultsQuery,
  produces: { 'application/x-ndjson': Type.String(), 'text/csv': Type.String() },
  project: projectOfBatch(deps),
  async handle({ admin, params: { id }, query: { format = 'ndjson', after = 0 }, reply }) {
    const batch = await findBatch(deps, id)
    const at = deps.clock.now()
    const entry = { at, actor: admin.actor, action: 'batch.download', subject: id, after: { format, after } }
    await deps.store.recordAudit(entry)
    reply.header('Content-Disposition', `attachment; filename="${id}.${format}"`)
    const rows = batchResults(deps.batches, batch, { format, after })
    return reply.type(resultTypes[format]).send(Readable.from(rows, { objectMode: false }))
  },
}))

const listRoute = adminRoute(tag, ({ store, clock }: AppDeps) => ({
  route: 'GET /batches',
  operationId: 'listBatches',
  summary: 'List batches, newest first',
  role: 'viewer',
  filtered: true,
  query: Type.Object({
    ...pageQuery,
    project: Type.Optional(Type.String()),
    environment: Type.Optional(Type.String()),
    key_id: Type.Optional(Type.String()),
    text: Type.Optional(Type.String({ maxLength: 200, description: 'Part of a name or an id.' })),
    status: Type.Optional(Type.Enum([...batchStatuses])),
  }),
  response: Type.Object({ batches: Type.Array(OperatorBatch), next_cursor: Cursor }),
  async handle({ admin, query }) {
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
}))

const cancelBatchRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'POST /batches/:id/cancel',
  operationId: 'cancelBatch',
  role: 'operator',
  params: BatchId,
  response: OperatorBatch,
  project: projectOfBatch(deps),
  summary: 'End a batch after the rows that are under way',
  description: 'What was found so far stays, and is paid for.',
  async handle({ admin, params: { id } }) {
    const { account_id: environmentId } = await findBatch(deps, id)
    const at = deps.clock.now()
    const expiresAt = at + deps.batches.rules.keptMs
    await deps.store.cancelBatch({ environmentId, publicId: id, at, expiresAt, actor: admin.actor })
    return operatorBatch(await findBatch(deps, id), at)
  },
}))

const resumeBatchRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'POST /batches/:id/resume',
  operationId: 'resumeBatch',
  role: 'operator',
  params: BatchId,
  response: OperatorBatch,
  project: projectOfBatch(deps),
  summary: 'Let a paused batch go on at once, with a new limit where one is given',
  body: BatchResume,
  async handle({ admin, params: { id }, body }) {
    const { account_id: environmentId } = await findBatch(deps, id)
    const limit = body.max_credits === undefined ? {} : { maxCredits: body.max_credits }
    const act = { actor: admin.actor, at: deps.clock.now() }
    await deps.store.resumeBatch({ environmentId, publicId: id, ...limit, act })
    deps.batches.wake()
    return operatorBatch(await findBatch(deps, id), deps.clock.now())
  },
}))
