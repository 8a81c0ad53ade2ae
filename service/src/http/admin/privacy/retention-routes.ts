import type { AdminAnswer, AdminBody } from '@vitae/contract/admin'
import { isoTime } from '../../../foundation/clock.ts'
import { retentionPlan, retentionRun } from '../../../lifecycle/retention/retention.ts'
import type { AppDeps } from '../../exchange/deps.ts'
import { planPurge, purgeProvider, refuseInUse } from '../../../lifecycle/retention/purge-run.ts'
import { withProgress, type Emit } from '../route/ndjson.ts'
import type { AdminHandlers } from '../route/admin-route.ts'

/** Retention periods, and the run that deletes older data. The ledger is never changed. */
export const retentionHandlers = {
  planRetention: async (_call, { store, clock, retention: rules }) => ({
    rules: rulesView(rules),
    would_remove: await retentionPlan(store, { now: clock.now(), rules }),
  }),

  async runRetention({ admin }, deps) {
    await deps.callsWritten()
    const removed = await retentionRun(deps.store, { now: deps.clock.now(), rules: deps.retention, actor: admin.actor })
    await deps.recordsChanged()
    return { removed }
  },

  planPurge: async ({ query: { provider } }, deps) => ({ provider, would_remove: await planPurge(deps, provider) }),

  async purgeRecords({ admin, body, request, reply }, deps) {
    await refuseInUse(deps, body.provider)
    return withProgress(request, reply, (emit) => purgeNow(deps, body, admin.actor, emit))
  },
} satisfies Partial<AdminHandlers>

function rulesView(rules: AppDeps['retention']): AdminAnswer<'planRetention'>['rules'] {
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

async function purgeNow(
  deps: AppDeps,
  { provider, reason = null, now }: AdminBody<'purgeRecords'>,
  actor: string,
  emit: Emit,
): Promise<AdminAnswer<'purgeRecords'>> {
  const startedAt = deps.clock.now()
  const onProgress = (step: string, { versions, fetches, names }: AdminAnswer<'purgeRecords'>['removed']) =>
    emit({ step, seen: versions + fetches + names })
  const { gone, ...removed } = await purgeProvider(deps, { provider, reason, actor, now, onProgress })
  const times = { bytes_gone_by: isoTime(gone.by), bytes_gone_at: isoTime(gone.at) }
  return { provider, removed, ...times, duration_ms: deps.clock.now() - startedAt }
}
