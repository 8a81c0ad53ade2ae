import type { AdminAnswer, AdminBody } from '@vitae/contract/admin'
import { isoTime } from '../../../foundation/clock.ts'
import { eraseRecords } from '../../../lifecycle/erasure/erase-record.ts'
import { previewErasures, type SubjectErased, type Subject } from '../../../lifecycle/erasure/erase-subjects.ts'
import type { ErasurePlan } from '../../../lifecycle/store/erasure/plan-erasure.ts'
import { refuseSuspects } from '../../../lifecycle/erasure/refuse-suspects.ts'
import type { AppDeps } from '../../exchange/deps.ts'
import { readSubjects } from '../../../lifecycle/erasure/read-subjects.ts'
import { noteAccess } from '../../../operators/find-record.ts'
import { withProgress, type Emit } from '../route/ndjson.ts'
import type { AdminHandlers } from '../route/admin-route.ts'

type Asked = AdminBody<'eraseRecords'>

export const eraseManyHandlers = {
  async eraseRecords({ admin, body, request, reply }, deps) {
    const subjects = await readSubjects({ ...deps, secret: deps.lookup.secret }, body.kind, body.ids)
    if (!body.dry_run && !body.erase_suspects) await refuseSuspects(deps.store, subjects)
    const work = (emit: Emit) => (body.dry_run ? plan : erase)(deps, subjects, body, admin.actor, emit)
    if (body.dry_run) await noteAccess(deps, admin, 'record.plan_erasure', null, { ids: body.ids.length })
    return withProgress(request, reply, work)
  },
} satisfies Partial<AdminHandlers>

type Many = (
  deps: AppDeps,
  subjects: Subject[],
  body: Asked,
  actor: string,
  emit: Emit,
) => Promise<AdminAnswer<'eraseRecords'>>

const plan: Many = async (deps, subjects, { ids }, _actor, emit) => {
  const startedAt = deps.clock.now()
  const onProgress = (step: string, seen: number) => emit({ step, seen })
  const { plans, calls, replays, mentions } = await previewErasures(deps.store, subjects, onProgress)
  return {
    subjects: outcomes(subjects, ids, plans.map(countsOf)),
    calls,
    replays,
    redacted_payloads: mentions,
    suppressed_hashes: 0,
    files_rewritten: false,
    tables_left: [],
    bytes_gone_by: null,
    bytes_gone_at: null,
    duration_ms: deps.clock.now() - startedAt,
  }
}

const erase: Many = async (deps, subjects, { ids, reason, now }, actor, emit) => {
  const startedAt = deps.clock.now()
  // Recent calls must be in the call log before the erasure cleans it.
  await deps.callsWritten()
  const erased = await eraseRecords({ ...deps, secret: deps.lookup.secret }, subjects, {
    reason,
    actor,
    now,
    onProgress: (step, seen) => emit({ step, seen }),
  })
  return {
    subjects: outcomes(subjects, ids, erased.subjects),
    calls: erased.calls,
    replays: erased.replays,
    redacted_payloads: erased.mentions,
    suppressed_hashes: erased.suppressed,
    files_rewritten: erased.rewritten,
    tables_left: erased.left,
    bytes_gone_by: isoTime(erased.gone.by),
    bytes_gone_at: isoTime(erased.gone.at),
    duration_ms: deps.clock.now() - startedAt,
  }
}

function outcomes(subjects: readonly Subject[], ids: readonly string[], counts: readonly SubjectErased[]) {
  const none = { entities: 0, versions: 0, fetches: 0, payloads: 0 }
  return subjects.map(({ kind }, index) => ({ id: ids[index] ?? '', kind, ...none, ...counts[index] }))
}

function countsOf({ entities }: ErasurePlan): SubjectErased {
  const sum = (count: 'versions' | 'fetches' | 'payloads') => entities.reduce((total, one) => total + one[count], 0)
  return {
    entities: entities.length,
    versions: sum('versions'),
    fetches: sum('fetches'),
    payloads: sum('payloads'),
  }
}
