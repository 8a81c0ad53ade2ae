import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import { planPurge, purgeProvider, refuseInUse } from '../../../lifecycle/retention/purge-run.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { Count, orNull } from '../schemas.ts'
import { withProgress, type Emit } from './ndjson.ts'

const tag = 'records'
const Provider = Type.String({ minLength: 1, maxLength: 100, description: 'The name of a provider, or `import`.' })

const Counts = Type.Object({
  entities: Type.Integer({ description: 'Records that no other provider supplied.' }),
  versions: Count,
  fetches: Count,
  payloads: Count,
  names: Type.Integer({ description: 'Ids of the provider’s own.' }),
  replays: Count,
})

const Body = Type.Object({
  provider: Provider,
  reason: Type.Optional(orNull(Type.String({ maxLength: 500, description: 'For the audit log.' }))),
})

const Purged = Type.Object({ provider: Type.String(), removed: Counts, duration_ms: Count })

/** Removing all that one provider supplied: first what that is, then its end. */
export function purgeRoutes(app: FastifyInstance, deps: AppDeps): void {
  planPurgeRoute(app, deps)
  purgeRoute(app, deps)
}

const planPurgeRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'GET /records/purge',
  operationId: 'planPurge',
  summary: 'What a purge of one provider would remove; changes nothing',
  role: 'operator',
  query: Type.Object({ provider: Provider }),
  response: Type.Object({ provider: Type.String(), would_remove: Counts }),
  handle: async ({ query: { provider } }) => ({ provider, would_remove: await planPurge(deps, provider) }),
}))

const purgeRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'POST /records/purge',
  operationId: 'purgeRecords',
  summary: 'Remove everything that one provider supplied',
  description:
    'For a contract that has ended. Records that others supply too stay, without it; nobody is suppressed, and the ledger is not touched. The provider must be out of the chain or paused. With `Accept: application/x-ndjson` the answer is a line per step, and the result as the last line.',
  role: 'owner',
  body: Body,
  response: Purged,
  produces: { 'application/x-ndjson': Type.String() },
  async handle({ admin, body, request, reply }) {
    await refuseInUse(deps, body.provider)
    return withProgress(request, reply, (emit) => purgeNow(deps, body, admin.actor, emit))
  },
}))

async function purgeNow(
  deps: AppDeps,
  { provider, reason = null }: Static<typeof Body>,
  actor: string,
  emit: Emit,
): Promise<Static<typeof Purged>> {
  const startedAt = deps.clock.now()
  const onProgress = (step: string, { versions, fetches, names }: Static<typeof Counts>) =>
    emit({ step, seen: versions + fetches + names })
  const removed = await purgeProvider(deps, { provider, reason, actor, onProgress })
  return { provider, removed, duration_ms: deps.clock.now() - startedAt }
}
