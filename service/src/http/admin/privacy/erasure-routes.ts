import type { AdminAnswer, AdminBody } from '@vitae/contract/admin'
import type { Kind } from '@vitae/contract'
import { isoTime } from '../../../foundation/clock.ts'
import { eraseRecord } from '../../../lifecycle/erasure/erase-record.ts'
import { previewErasure } from '../../../lifecycle/erasure/erase-subject.ts'
import { refuseSuspects } from '../../../lifecycle/erasure/refuse-suspects.ts'
import type { AppDeps } from '../../exchange/deps.ts'
import { noteAccess, refOf } from '../../../operators/find-record.ts'
import type { Ref } from '../../../records/identifiers/find-ref.ts'
import { withProgress, type Emit } from '../route/ndjson.ts'
import { type AdminHandlers, ofKinds } from '../route/admin-route.ts'

const planErasure = ofKinds<'planPersonErasure'>(async (kind, { admin, params }, deps) => {
  const plan = await previewErasure(deps.store, { kind, ref: refOf(deps, kind, params.ref) })
  const entityIds = plan.entities.map(({ entityId }) => entityId)
  const suspects = await deps.store.entities.suspectsAmong({ entityIds })
  const [first] = plan.entities
  await noteAccess(deps, admin, 'record.plan_erasure', first ? { kind, entityId: first.entityId } : null)
  const names = new Map(suspects.map((suspect) => [suspect.entityId, suspect.names.map(({ name }) => name)]))
  const entities = plan.entities.map((entity) => {
    return { ...entity, id: entity.entityId, suspectNames: names.get(entity.entityId) ?? [] }
  })
  return { ...plan, entities }
})

const eraseSubject = ofKinds<'erasePerson'>(async (kind, { admin, params, body, request, reply }, deps) => {
  const ref = refOf(deps, kind, params.ref)
  const { entity_ids: entityIds } = body
  if (!body.erase_suspects) await refuseSuspects(deps.store, [{ kind, ref, ...(entityIds ? { entityIds } : {}) }])
  return withProgress(request, reply, (emit) => eraseNow(deps, { kind, ref }, body, admin.actor, emit))
})

/** Erasure: its plan, and the erasure itself. */
export const erasureHandlers = {
  planPersonErasure: planErasure.people,
  planCompanyErasure: planErasure.companies,

  erasePerson: eraseSubject.people,
  eraseCompany: eraseSubject.companies,
} satisfies Partial<AdminHandlers>

async function eraseNow(
  deps: AppDeps,
  subject: { kind: Kind; ref: Ref },
  { reason, entity_ids: entityIds, markers, now }: AdminBody<'erasePerson'>,
  actor: string,
  emit: Emit,
): Promise<AdminAnswer<'erasePerson'>> {
  const startedAt = deps.clock.now()
  // Recent calls must be in the call log before the erasure cleans it.
  await deps.callsWritten()
  const report = await eraseRecord(
    { ...deps, secret: deps.lookup.secret },
    {
      ...subject,
      reason,
      actor,
      now,
      ...(entityIds ? { entityIds } : {}),
      ...(markers ? { markers } : {}),
      onProgress: (step, seen) => emit({ step, seen }),
    },
  )
  const { mentions, suppressed, rewritten, left, gone, ...erased } = report
  return {
    erased: { ...erased, redacted_payloads: mentions },
    suppressed_hashes: suppressed,
    files_rewritten: rewritten,
    tables_left: left,
    bytes_gone_by: isoTime(gone.by),
    bytes_gone_at: isoTime(gone.at),
    duration_ms: deps.clock.now() - startedAt,
  }
}
