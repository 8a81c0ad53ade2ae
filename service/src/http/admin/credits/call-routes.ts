import { Failure, invalidParameter } from '../../../foundation/failure.ts'
import { listCalls, type CallPlace, type CallView } from '../../../credits/reports/calls.ts'
import type { AppDeps } from '../../exchange/deps.ts'
import type { Admin } from '../../../operators/deps.ts'
import { noteAccess } from '../../../operators/find-record.ts'
import { explainedCall } from '../../../operators/explained-call.ts'
import { readTimeIfGiven } from '../route/read-time.ts'
import { given } from '../../../foundation/schema/given.ts'
import type { AdminHandlers } from '../route/admin-route.ts'

/** Answered calls, newest first, and the explanation of one call. */
export const callHandlers = {
  async showCall({ admin, params }, deps) {
    await deps.callsWritten()
    const requestId = params.request_id
    const receipt = await deps.store.credits.receipt({ requestId })
    const visible = receipt && (admin.project === null || admin.project === receipt.project)
    const call = visible ? receipt.call : null
    if (!visible || !call) throw new Failure('not_found', { detail: noSuchCall(requestId) })
    const details = await deps.store.records.callDetails({ requestId, entityId: call.entityId })
    const showsSuppression = admin.role === 'owner' && admin.project === null
    return explainedCall(receipt, call, details, { showsSuppression, currency: deps.providers.currency })
  },

  async listCalls({ admin, query }, deps) {
    // Free calls are written in the background; wait, so that the list contains the newest.
    await deps.callsWritten()
    const now = deps.clock.now()
    const { key_id: keyId, request_id: requestId, since, until, cursor, limit = 100, names = false, ...filters } = query
    const page = await listCalls(deps.store, {
      ...given({
        ...filters,
        keyId,
        requestId,
        project: admin.project ?? query.project,
        since: readTimeIfGiven('since', since, now),
        until: readTimeIfGiven('until', until, now),
      }),
      before: cursor === undefined ? null : readCursor(cursor),
      limit,
    })
    const named = names ? await namesOf(deps, admin, page.calls) : new Map<number, string | null>()
    const calls = page.calls.map((call) => {
      const { entityId, keyId: id, keyLabel, keyDisplay } = call
      return { ...call, keyName: keyLabel || (keyDisplay ?? id), entityName: named.get(entityId ?? -1) ?? null }
    })
    return { calls, next_cursor: page.next && `${page.next.at}_${page.next.requestId}` }
  },
} satisfies Partial<AdminHandlers>

function noSuchCall(requestId: string): string {
  return `The call log has no call ${requestId}. Calls without a valid key are only in the log, and old ones are removed (VITAE_CALL_LOG_DAYS).`
}

/** The record names of a page, for admins who may read records. This read is audited like a search. */
async function namesOf(deps: AppDeps, admin: Admin, calls: CallView[]): Promise<Map<number, string | null>> {
  const ids = [...new Set(calls.flatMap(({ entityId }) => entityId ?? []))]
  if (admin.project !== null || ids.length === 0) return new Map()
  const found = await deps.store.entities.entityNames({ ids })
  await noteAccess(deps, admin, 'record.names', null, { found: found.length })
  return new Map(found.map(({ entityId, name }) => [entityId, name]))
}

function readCursor(cursor: string): CallPlace {
  const [, at, requestId] = /^(\d{1,15})_([\w-]{1,100})$/.exec(cursor) ?? []
  if (at !== undefined && requestId !== undefined) return { at: Number(at), requestId }
  throw invalidParameter('cursor', 'must be the next_cursor of a page')
}
