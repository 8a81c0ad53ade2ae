import { Readable } from 'node:stream'
import { BatchId, BatchListQuery, type BatchPreview, BatchResume, ResultsQuery } from '@vitae/contract'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../../accounts/key-cache.ts'
import { mayNotBuy, reachedBy, reachOf } from '../../accounts/key-rights.ts'
import { batchResults } from '../../batches/batch-results.ts'
import { optionsOf } from '../../batches/batch-settings.ts'
import { batchView, submittedView } from '../../batches/batch-view.ts'
import type { BatchDeps } from '../../batches/deps.ts'
import { laneOf } from '../../batches/input/upload-turns.ts'
import { previewBatch } from '../../batches/preview-batch.ts'
import { submitBatch, type Submission } from '../../batches/submit-batch.ts'
import type { StoredBatch } from '../../batches/store/submit-batch.ts'
import { mostFor } from '../../lookup/pay.ts'
import { Failure, plainFailure } from '../../foundation/failure.ts'
import type { HttpDeps } from '../deps.ts'
import { AnswerPace } from '../lookup/answer-pace.ts'
import { resultTypes, submissionOf, uploadRoutes } from './batch-request.ts'
import { callerRoute } from './caller-route.ts'

/** What the routes of batches need. */
export interface BatchRouteDeps extends HttpDeps {
  batches: BatchDeps & { wake(): void }
}

const listedAtOnce = 50
/** An environment may begin a hundred uploads at once, and then twenty a second: each costs more than its answer tells. */
const uploadStepMs = 50

/** Batches: submit, follow, cancel, resume, download. */
export function batchRoutes(app: FastifyInstance, deps: BatchRouteDeps): void {
  const { batches, clock } = deps
  const uploadPace = new AnswerPace(uploadStepMs)
  uploadRoutes(app, (scope) => {
    callerRoute(scope, deps, {
      method: 'POST',
      path: '/v1/batches',
      readsQuery: true,
      spends: true,
      status: 202,
      bodyLimit: Number.MAX_SAFE_INTEGER,
      async handle({ caller, request, reply }) {
        const submission = submissionOf(deps, caller, request)
        await uploadPace.wait(String(laneOf(caller)))
        const batch = await submitBatch(batches, caller, submission)
        batches.wake()
        reply.header('Location', `/v1/batches/${batch.public_id}`)
        return submittedView(batch)
      },
    })
    previewRoute(scope, deps)
  })
  callerRoute(app, deps, {
    method: 'GET',
    path: '/v1/batches',
    query: BatchListQuery,
    async handle({ caller, query: { limit = listedAtOnce, after } }) {
      const before = after === undefined ? null : (await find(batches, caller, after)).id
      const rows = await batches.store.listBatches({
        environmentId: caller.environmentId,
        ...reachOf(caller),
        before,
        limit,
      })
      const next = rows.length === limit ? (rows.at(-1)?.public_id ?? null) : null
      return { batches: rows.map((row) => batchView(row, clock.now())), next }
    },
  })
  callerRoute(app, deps, {
    method: 'GET',
    path: '/v1/batches/:id',
    params: BatchId,
    async handle({ caller, params: { id } }) {
      return batchView(await find(batches, caller, id), clock.now())
    },
  })
  changeRoutes(app, deps)
  callerRoute(app, deps, {
    method: 'GET',
    path: '/v1/batches/:id/results',
    params: BatchId,
    query: ResultsQuery,
    async handle({ caller, params: { id }, query: { format: asked, after = 0 }, request, reply }) {
      const batch = await find(batches, caller, id)
      checkMayBuy(deps, caller, batch)
      const format = asked ?? (/text\/csv/i.test(request.headers.accept ?? '') ? 'csv' : 'ndjson')
      reply.header('Content-Type', resultTypes[format])
      reply.serializer((data: string) => data)
      return Readable.from(batchResults(batches, batch, { format, after }), { objectMode: false })
    },
  })
}

/** One at a time for each environment, test and live apart: it is free, and reads the store for every id. */
function previewRoute(scope: FastifyInstance, deps: BatchRouteDeps): void {
  const underWay = new Set<number>()
  callerRoute(scope, deps, {
    method: 'POST',
    path: '/v1/batches/preview',
    readsQuery: true,
    bodyLimit: Number.MAX_SAFE_INTEGER,
    async handle({ caller, request }): Promise<BatchPreview> {
      const lane = laneOf(caller)
      if (underWay.has(lane)) throw new Failure('overloaded', { retryAfterSeconds: 1 })
      underWay.add(lane)
      try {
        return await preview(deps, caller, submissionOf(deps, caller, request))
      } finally {
        underWay.delete(lane)
      }
    },
  })
}

async function preview(deps: BatchRouteDeps, caller: Caller, submission: Submission): Promise<BatchPreview> {
  const { rows, distinct, invalid, fresh, creditsAtMost, seconds } = await previewBatch(
    deps.batches,
    caller,
    submission,
  )
  const left = caller.mode === 'live' ? await deps.remainingCreditsOf(caller, null) : null
  const available = left && Math.max(0, Math.min(left.available, left.ceilingRemaining ?? Infinity))
  return {
    rows,
    distinct,
    invalid,
    stored: fresh,
    highest_credits: creditsAtMost,
    available_credits: available,
    estimated_seconds: seconds,
  }
}

function changeRoutes(app: FastifyInstance, deps: BatchRouteDeps): void {
  const { batches, clock } = deps
  callerRoute(app, deps, {
    method: 'POST',
    path: '/v1/batches/:id/cancel',
    params: BatchId,
    async handle({ caller, params: { id: publicId } }) {
      const at = clock.now()
      const { account_id: environmentId } = await find(batches, caller, publicId)
      await batches.store.cancelBatch({ environmentId, publicId, at, expiresAt: at + batches.rules.keptMs })
      return batchView(await find(batches, caller, publicId), at)
    },
  })
  callerRoute(app, deps, {
    method: 'POST',
    path: '/v1/batches/:id/resume',
    params: BatchId,
    spends: true,
    body: BatchResume,
    async handle({ caller, params: { id: publicId }, body }) {
      const batch = await find(batches, caller, publicId)
      checkMayBuy(deps, caller, batch)
      const { account_id: environmentId } = batch
      const limit = body.max_credits === undefined ? {} : { maxCredits: body.max_credits }
      await batches.store.resumeBatch({ environmentId, publicId, ...limit })
      batches.wake()
      return batchView(await find(batches, caller, publicId), clock.now())
    },
  })
}

/** Records are closed to a key that can buy none, and so is letting others' money be spent. */
function checkMayBuy({ lookup }: BatchRouteDeps, caller: Caller, { kind }: StoredBatch): void {
  if (mayNotBuy(caller, mostFor(lookup, caller, kind))) throw plainFailure('credit_ceiling_reached')
}

/** The batch of an id, for a key that may reach it: asked each time, because rights change after it was made. */
async function find({ store }: BatchDeps, caller: Caller, publicId: string): Promise<StoredBatch> {
  const batch = await store.showBatch({ environmentId: caller.environmentId, publicId })
  return reachedBy(caller, batch && { ...batch, parts: optionsOf(batch).include }, 'There is no such batch.')
}
