import { Readable } from 'node:stream'
import { BatchId, BatchListQuery, BatchResume, ResultsQuery } from '@vitae/contract'
import type { FastifyInstance } from 'fastify'
import { batchResults } from '../../batches/batch-results.ts'
import { batchView, submittedView } from '../../batches/batch-view.ts'
import type { BatchDeps } from '../../batches/deps.ts'
import { submitBatch } from '../../batches/submit-batch.ts'
import { Failure } from '../../foundation/failure.ts'
import type { StoredBatch } from '../../batches/store/submit-batch.ts'
import type { HttpDeps } from '../deps.ts'
import { resultTypes, submissionOf, uploadRoutes } from './batch-request.ts'
import { callerRoute } from './caller-route.ts'

/** What the routes of batches need. */
export interface BatchRouteDeps extends HttpDeps {
  batches: BatchDeps & { wake(): void }
}

const listedAtOnce = 50

/** Batches: submit, follow, cancel, resume, download. */
export function batchRoutes(app: FastifyInstance, deps: BatchRouteDeps): void {
  const { batches, clock } = deps
  uploadRoutes(app, (scope) => {
    callerRoute(scope, deps, {
      method: 'POST',
      path: '/v1/batches',
      spends: true,
      status: 202,
      bodyLimit: Number.MAX_SAFE_INTEGER,
      async handle({ caller, request, reply }) {
        const batch = await submitBatch(batches, caller, submissionOf(request))
        batches.wake()
        reply.header('Location', `/v1/batches/${batch.public_id}`)
        return submittedView(batch)
      },
    })
  })
  callerRoute(app, deps, {
    method: 'GET',
    path: '/v1/batches',
    query: BatchListQuery,
    async handle({ caller: { accountId }, query: { limit = listedAtOnce, after } }) {
      const before = after === undefined ? null : (await find(batches, accountId, after)).id
      const rows = await batches.store.listBatches({ accountId, before, limit })
      const next = rows.length === limit ? (rows.at(-1)?.public_id ?? null) : null
      return { batches: rows.map((row) => batchView(row, clock.now())), next }
    },
  })
  callerRoute(app, deps, {
    method: 'GET',
    path: '/v1/batches/:id',
    params: BatchId,
    async handle({ caller: { accountId }, params: { id } }) {
      return batchView(await find(batches, accountId, id), clock.now())
    },
  })
  changeRoutes(app, deps)
  callerRoute(app, deps, {
    method: 'GET',
    path: '/v1/batches/:id/results',
    params: BatchId,
    query: ResultsQuery,
    async handle({ caller: { accountId }, params: { id }, query: { format: asked, after = 0 }, request, reply }) {
      const batch = await find(batches, accountId, id)
      const format = asked ?? (/text\/csv/i.test(request.headers.accept ?? '') ? 'csv' : 'ndjson')
      reply.header('Content-Type', resultTypes[format])
      reply.serializer((data: string) => data)
      return Readable.from(batchResults(batches, batch, { format, after }), { objectMode: false })
    },
  })
}

function changeRoutes(app: FastifyInstance, deps: BatchRouteDeps): void {
  const { batches, clock } = deps
  callerRoute(app, deps, {
    method: 'POST',
    path: '/v1/batches/:id/cancel',
    params: BatchId,
    async handle({ caller: { accountId }, params: { id: publicId } }) {
      const at = clock.now()
      await find(batches, accountId, publicId)
      await batches.store.cancelBatch({ accountId, publicId, at, expiresAt: at + batches.rules.keptMs })
      return batchView(await find(batches, accountId, publicId), at)
    },
  })
  callerRoute(app, deps, {
    method: 'POST',
    path: '/v1/batches/:id/resume',
    params: BatchId,
    spends: true,
    body: BatchResume,
    async handle({ caller: { accountId }, params: { id: publicId }, body }) {
      await find(batches, accountId, publicId)
      const limit = body.max_credits === undefined ? {} : { maxCredits: body.max_credits }
      await batches.store.resumeBatch({ accountId, publicId, ...limit })
      batches.wake()
      return batchView(await find(batches, accountId, publicId), clock.now())
    },
  })
}

async function find({ store }: BatchDeps, accountId: number, publicId: string): Promise<StoredBatch> {
  const batch = await store.showBatch({ accountId, publicId })
  if (!batch) throw new Failure('not_found', { detail: 'There is no such batch in this environment.' })
  return batch
}
