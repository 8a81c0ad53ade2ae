import { splitRecord } from '../../../lifecycle/records/split-record.ts'
import { invalidParameter } from '../../../foundation/failure.ts'
import { given } from '../../../foundation/schema/given.ts'
import { noteAccess, refOf } from '../../../operators/find-record.ts'
import { type AdminHandlers, ofKinds } from '../route/admin-route.ts'

const splitSubject = ofKinds<'splitPerson'>(async (kind, { admin, params, body }, deps) => {
  const done = await splitRecord(
    { ...deps, secret: deps.lookup.secret },
    {
      kind,
      ref: refOf(deps, kind, params.ref),
      fetchIds: [...new Set(body.fetches)],
      reason: body.reason ?? null,
      actor: admin.actor,
    },
  )
  return { kind, ...done }
})

/** Undoes wrong merges: lists records that may be two subjects, and splits one. */
export const splitHandlers = {
  async listSuspects({ admin, query }, deps) {
    const { kind, limit = 50, cursor } = query
    if (cursor !== undefined && !/^\d{1,15}$/.test(cursor))
      throw invalidParameter('cursor', 'must be the next_cursor of a page')
    const page = await deps.store.findSuspects({ ...given({ kind }), after: Number(cursor ?? 0), limit })
    await noteAccess(deps, admin, 'record.suspects', null, { found: page.items.length })
    return { suspects: page.items, next_cursor: page.next === null ? null : String(page.next) }
  },

  splitPerson: splitSubject.people,
  splitCompany: splitSubject.companies,
} satisfies Partial<AdminHandlers>
