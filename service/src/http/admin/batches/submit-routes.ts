import { BatchQuery, SubmittedBatch } from '@vitae/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import { noKey } from '../../../accounts/find-key.ts'
import type { Caller } from '../../../accounts/key-cache.ts'
import { refusalOf } from '../../../accounts/key-rights.ts'
import { submittedView } from '../../../batches/batch-view.ts'
import { inputTypes } from '../../../batches/input/read-input.ts'
import { previewBatch } from '../../../batches/preview-batch.ts'
import { submitBatch, type Submission } from '../../../batches/submit-batch.ts'
import { Failure, plainFailure, keyRefusals } from '../../../foundation/failure.ts'
import { submissionOf, uploadRoutes } from '../../callers/batch-request.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { Count, KindName, orNull } from '../schemas.ts'

const Query = Type.Object({
  key_id: Type.String({ maxLength: 100, description: 'The key whose rights, prices and credits count.' }),
  kind: BatchQuery.properties.kind,
  column: BatchQuery.properties.column,
})

const Preview = Type.Object({
  kind: KindName,
  project: Type.String(),
  environment: Type.String(),
  mode: Type.Enum(['live', 'test']),
  rows: Count,
  invalid: Type.Integer({ minimum: 0, description: 'Rows that name nobody; they cost nothing.' }),
  distinct: Type.Integer({ minimum: 0, description: 'Different ids; the next three counts are of these.' }),
  in_store: Type.Integer({ minimum: 0, description: 'The store has a copy, of whatever age.' }),
  fresh: Type.Integer({ minimum: 0, description: 'Answered from the store, without a provider.' }),
  not_found: Type.Integer({ minimum: 0, description: 'The provider said lately that it does not know them.' }),
  credits_at_most: Type.Integer({ minimum: 0, description: 'What the batch costs where every id is found.' }),
  credits_available: orNull(Count),
  ceiling_remaining: orNull(Type.Integer({ description: 'What the ceilings of the key leave; null = no ceiling.' })),
})

const settings = `The body and the other settings are those of \`POST /v1/batches\`, with its content types.`

/** Batches that an operator hands in for a key: what they would cost, and the batch itself. */
export function submitRoutes(app: FastifyInstance, deps: AppDeps): void {
  uploadRoutes(app, (scope) => {
    submitBatchRoute(scope, deps)
    previewBatchRoute(scope, deps)
  })
}

const projectOfKey =
  (deps: AppDeps) =>
  async ({ query }: { query: Static<typeof Query> }) =>
    (await callerOf(deps, query.key_id)).project

const submitBatchRoute = adminRoute('batches', (deps: AppDeps) => ({
  route: 'POST /batches',
  operationId: 'submitBatch',
  summary: 'Look up a file of ids with the rights and credits of a key',
  description: `${settings} An \`Idempotency-Key\` makes a repeated submission the same batch.`,
  role: 'operator',
  status: 202,
  query: Query,
  uploads: inputTypes,
  response: SubmittedBatch,
  project: projectOfKey(deps),
  async handle({ admin, query, request }) {
    const submit = (caller: Caller, submission: Submission) =>
      submitBatch(deps.batches, caller, { ...submission, actor: admin.actor })
    const batch = await forKey(deps, query.key_id, request, submit)
    deps.batches.wake()
    return submittedView(batch)
  },
}))

const previewBatchRoute = adminRoute('batches', (deps: AppDeps) => ({
  route: 'POST /batches/preview',
  operationId: 'previewBatch',
  summary: 'Say what a file of ids would cost, and how much of it the store has',
  description: `${settings} It costs nothing, and nothing is kept.`,
  role: 'operator',
  query: Query,
  uploads: inputTypes,
  response: Preview,
  project: projectOfKey(deps),
  handle: ({ query, request }) =>
    forKey(deps, query.key_id, request, (caller, submission) => preview(deps, caller, submission)),
}))

async function preview(deps: AppDeps, caller: Caller, submission: Submission): Promise<Static<typeof Preview>> {
  const {
    inStore,
    notFound,
    creditsAtMost,
    seconds: _,
    ...counted
  } = await previewBatch(deps.batches, caller, submission)
  const left = caller.mode === 'live' ? await deps.remainingCreditsOf(caller, null) : null
  return {
    ...counted,
    project: caller.project,
    environment: caller.environment,
    mode: caller.mode,
    in_store: inStore,
    not_found: notFound,
    credits_at_most: creditsAtMost,
    credits_available: left?.available ?? null,
    ceiling_remaining: left?.ceilingRemaining ?? null,
  }
}

async function callerOf({ keyCache }: AppDeps, keyId: string): Promise<Caller> {
  const caller = await keyCache.findById(keyId)
  if (!caller) throw noKey(keyId)
  return caller
}

const refusals: ReadonlySet<string> = new Set(keyRefusals)

/** Does work for a key. What its own calls would be refused for is no fault of the operator's token. */
async function forKey<Result>(
  deps: AppDeps,
  keyId: string,
  request: FastifyRequest,
  work: (caller: Caller, submission: Submission) => Promise<Result>,
): Promise<Result> {
  try {
    const caller = await callerOf(deps, keyId)
    const refusal = refusalOf(caller, { kind: null, spends: true }, deps.clock.now())
    if (refusal) throw plainFailure(refusal)
    const { query, ...submission } = submissionOf(deps, caller, request)
    return await work(caller, { ...submission, query: new Map([...query].filter(([name]) => name !== 'key_id')) })
  } catch (error) {
    if (!(error instanceof Failure) || !refusals.has(error.code)) throw error
    throw new Failure('conflict', { detail: `${error.row.title}.` })
  }
}
