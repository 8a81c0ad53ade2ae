import { Readable } from 'node:stream'
import type { batchOperations, BatchPreview } from '@vitae/contract'
import { type Caller, reachOf } from '../../accounts/caller.ts'
import { batchResults } from '../../batches/batch-results.ts'
import { batchView, submittedView, checkMayBuy, findBatch } from '../../batches/batch-view.ts'
import { laneOf } from '../../batches/input/uploads.ts'
import { previewBatch } from '../../batches/preview-batch.ts'
import { submitBatch, type Submission } from '../../batches/submit-batch.ts'
import { Failure, plainFailure } from '../../foundation/failure.ts'
import type { AppDeps } from '../exchange/deps.ts'
import { resultTypes, submissionOf } from './batch-request.ts'
import type { Handlers } from './caller-route.ts'

const listedAtOnce = 50

/** Batches: submit, follow, cancel, resume, download. */
export function batchHandlers(deps: AppDeps): Handlers<typeof batchOperations> {
  const { batches, clock } = deps
  return {
    async submitBatch({ caller, request, reply }) {
      const submission = submissionOf(deps, caller, request)
      const batch = await submitBatch(batches, caller, submission)
      batches.wake()
      reply.header('Location', `/v1/batches/${batch.public_id}`)
      return submittedView(batch)
    },
    async listBatches({ caller, query: { limit = listedAtOnce, after } }) {
      const before = after === undefined ? null : (await findBatch(batches, caller, after)).id
      const { environmentId } = caller
      const rows = await batches.store.batches.listBatches({ environmentId, ...reachOf(caller), before, limit })
      const next = rows.length === limit ? (rows.at(-1)?.public_id ?? null) : null
      return { batches: rows.map((row) => batchView(row, clock.now())), next }
    },
    async previewBatch({ caller, request }) {
      const submission = submissionOf(deps, caller, request)
      const { isLost } = submission
      const read = () => preview(deps, caller, submission)
      const previewed = await batches.previews.read(laneOf(caller), { waitingAtMost: 0, isLost }, read)
      if (previewed) return previewed
      throw isLost() ? plainFailure('client_closed_request') : new Failure('overloaded', { retryAfterSeconds: 1 })
    },
    getBatch: async ({ caller, params: { id } }) => batchView(await findBatch(batches, caller, id), clock.now()),
    async cancelBatch({ caller, params: { id: publicId } }) {
      const at = clock.now()
      const { account_id: environmentId } = await findBatch(batches, caller, publicId)
      await batches.store.batches.cancelBatch({ environmentId, publicId, at, expiresAt: at + batches.rules.keptMs })
      return batchView(await findBatch(batches, caller, publicId), at)
    },
    async resumeBatch({ caller, params: { id: publicId }, body }) {
      const batch = await findBatch(batches, caller, publicId)
      checkMayBuy(deps.lookup, caller, batch)
      const { account_id: environmentId } = batch
      const limit = body.max_credits === undefined ? {} : { maxCredits: body.max_credits }
      await batches.store.batches.resumeBatch({ environmentId, publicId, ...limit })
      batches.wake()
      return batchView(await findBatch(batches, caller, publicId), clock.now())
    },
    async getBatchResults({ caller, params: { id }, query: { format: asked, after = 0 }, request, reply }) {
      const batch = await findBatch(batches, caller, id)
      checkMayBuy(deps.lookup, caller, batch)
      const format = asked ?? (/text\/csv/i.test(request.headers.accept ?? '') ? 'csv' : 'ndjson')
      reply.header('Content-Type', resultTypes[format])
      reply.serializer((data: string) => data)
      return Readable.from(batchResults(batches, batch, { format, after }), { objectMode: false })
    },
  }
}

async function preview(deps: AppDeps, caller: Caller, submission: Submission): Promise<BatchPreview> {
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
