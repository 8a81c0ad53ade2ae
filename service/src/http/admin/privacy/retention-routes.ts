import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import { retentionPlan, retentionRun } from '../../../lifecycle/retention/retention.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { Count, orNull } from '../schemas.ts'
import { planPurge, purgeProvider, refuseInUse } from '../../../lifecycle/retention/purge-run.ts'
import { withProgress, type Emit } from './ndjson.ts'

const tag = 'retention'
const Days = Type.Union([Type.Number(), Type.Null()])
const Counts = Type.Object({
  payloads: Count,
  versions: Count,
  fetches: Count,
  entities: Count,
  calls: Count,
  misses: Count,
})
const Rules = Type.Object(
  {
    raw_days: Days,
    history_days: Days,
    record_days: Days,
    unused_record_days: Days,
    call_log_days: Days,
    per_provider: Type.Record(Type.String(), Type.Record(Type.String(), Days)),
  },
  { description: 'Null = kept for ever.' },
)

/** How long data is kept, and the run that removes what is older. The ledger is never touched. */
export function retentionRoutes(app: FastifyInstance, deps: AppDeps): void {
  planRetentionRoute(app, deps)
  runRetentionRoute(app, deps)
}

const planRetentionRoute = adminRoute(tag, ({ store, clock, retention: rules }: AppDeps) => ({
  route: 'GET /retention/plan',
  operationId: 'planRetention',
  summary: 'The rules, and what a run would remove now',
  role: 'viewer',
  response: Type.Object({ rules: Rules, would_remove: Counts }),
  handle: async () => ({
    rules: rulesView(rules),
    would_remove: await retentionPlan(store, { now: clock.now(), rules }),
  }),
}))

const runRetentionRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'POST /retention/run',
  operationId: 'runRetention',
  summary: 'Remove what is older than the rules allow',
  role: 'owner',
  response: Type.Object({ removed: Counts }),
  async handle({ admin }) {
    await deps.callsWritten()
    const removed = await retentionRun(deps.store, { now: deps.clock.now(), rules: deps.retention, actor: admin.actor })
    await deps.recordsChanged()
    return { removed }
  },
}))

function rulesView(rules: AppDeps['retention']): Static<typeof Rules> {
  const perProvider = Object.entries(rules.perProvider).map(([name, { rawDays, historyDays, storeDays }]) => [
    name,
    { raw_days: rawDays ?? null, history_days: historyDays ?? null, store_days: storeDays ?? null },
  ])
  return {
    raw_days: rules.rawDays,
    history_days: rules.historyDays,
    record_days: rules.recordDays,
    unused_record_days: rules.unusedRecordDays,
    call_log_days: rules.callLogDays,
    per_provider: Object.fromEntries(perProvider),
  }
}

const Provider = Type.String({ minLength: 1, maxLength: 100, description: 'The name of a provider, or `import`.' })

const PurgeCounts = Type.Object({
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

const Purged = Type.Object({ provider: Type.String(), removed: PurgeCounts, duration_ms: Count })

/** Removing all that one provider supplied: first what that is, then its end. */
export function purgeRoutes(app: FastifyInstance, deps: AppDeps): void {
  planPurgeRoute(app, deps)
  purgeRoute(app, deps)
}

const planPurgeRoute = adminRoute('records', (deps: AppDeps) => ({
  route: 'GET /records/purge',
  operationId: 'planPurge',
  summary: 'What a purge of one provider would remove; changes nothing',
  role: 'operator',
  query: Type.Object({ provider: Provider }),
  response: Type.Object({ provider: Type.String(), would_remove: PurgeCounts }),
  handle: async ({ query: { provider } }) => ({ provider, would_remove: await planPurge(deps, provider) }),
}))

const purgeRoute = adminRoute('records', (deps: AppDeps) => ({
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
  const onProgress = (step: string, { versions, fetches, names }: Static<typeof PurgeCounts>) =>
    emit({ step, seen: versions + fetches + names })
  const removed = await purgeProvider(deps, { provider, reason, actor, onProgress })
  return { provider, removed, duration_ms: deps.clock.now() - startedAt }
}
