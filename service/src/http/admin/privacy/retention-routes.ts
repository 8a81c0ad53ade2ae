import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import { retentionPlan, retentionRun } from '../../../lifecycle/retention/retention.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { Count } from '../schemas.ts'

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
