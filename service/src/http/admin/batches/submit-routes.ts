import type { FastifyRequest } from 'fastify'
import type { BatchPreview } from '@vitae/contract/admin'
import { noKey } from '../../../accounts/find-key.ts'
import { type Caller, refusalOf } from '../../../accounts/caller.ts'
import { submittedView } from '../../../batches/batch-view.ts'
import { previewBatch } from '../../../batches/preview-batch.ts'
import { submitBatch, type Submission } from '../../../batches/submit-batch.ts'
import { Failure, plainFailure, keyRefusals } from '../../../foundation/failure.ts'
import type { Facts } from '../../../foundation/schema/encode.ts'
import { submissionOf } from '../../callers/batch-request.ts'
import type { AppDeps } from '../../exchange/deps.ts'
import type { AdminHandlers } from '../route/admin-route.ts'

/** Batches that an operator submits for a key: the price preview and the submission. */
export const submitHandlers = {
  submitBatch: {
    find: callerOf,
    async handle({ admin, request }, deps, caller: Caller) {
      const submit = (submission: Submission) =>
        submitBatch(deps.batches, caller, { ...submission, actor: admin.actor })
      const batch = await forKey(deps, caller, request, submit)
      deps.batches.wake()
      return submittedView(batch)
    },
  },

  previewBatch: {
    find: callerOf,
    handle: ({ request }, deps, caller: Caller) =>
      forKey(deps, caller, request, (submission) => preview(deps, caller, submission)),
  },
} satisfies Partial<AdminHandlers>

async function preview(deps: AppDeps, caller: Caller, submission: Submission): Promise<Facts<BatchPreview>> {
  const counted = await previewBatch(deps.batches, caller, submission)
  const left = caller.mode === 'live' ? await deps.remainingCreditsOf(caller, null) : null
  return {
    ...counted,
    project: caller.project,
    environment: caller.environment,
    mode: caller.mode,
    creditsAvailable: left?.available ?? null,
    ceilingRemaining: left?.ceilingRemaining ?? null,
  }
}

async function callerOf({ query }: { query: { key_id: string } }, { keyCache }: AppDeps): Promise<Caller> {
  const caller = await keyCache.findById(query.key_id)
  if (!caller) throw noKey(query.key_id)
  return caller
}

const refusals: ReadonlySet<string> = new Set(keyRefusals)

/** Runs work for a key. A refusal of the key becomes 409, because the operator's token is not at fault. */
async function forKey<Result>(
  deps: AppDeps,
  caller: Caller,
  request: FastifyRequest,
  work: (submission: Submission) => Promise<Result>,
): Promise<Result> {
  try {
    const refusal = refusalOf(caller, { kind: null, spends: true }, deps.clock.now())
    if (refusal) throw plainFailure(refusal)
    const { query, ...submission } = submissionOf(deps, caller, request)
    return await work({ ...submission, query: new Map([...query].filter(([name]) => name !== 'key_id')) })
  } catch (error) {
    if (!(error instanceof Failure) || !refusals.has(error.code)) throw error
    throw new Failure('conflict', { detail: `${error.row.title}.` })
  }
}
