import { noteFullCheck } from '../../../lifecycle/doctor/check-integrity.ts'
import { actorNames, subjectsOf, withNames } from '../../../operators/audit-names.ts'
import { numberCursor } from '../route/pagination.ts'
import { readTimeIfGiven } from '../route/read-time.ts'
import { given } from '../../../foundation/schema/given.ts'
import type { AdminHandlers } from '../route/admin-route.ts'

const rowsAtOnce = 5_000

/** The audit log: every change and every read of a record. */
export const auditHandlers = {
  async listAudit({ query }, deps) {
    const { limit = 100, cursor, action, actor, project, kind, record } = query
    const subject = record === undefined ? query.subject : await subjectsOf(deps, kind, record)
    const now = deps.clock.now()
    const since = readTimeIfGiven('since', query.since, now)
    const until = readTimeIfGiven('until', query.until, now)
    const page = await deps.store.audit.listAudit({
      limit,
      cursor: numberCursor(cursor),
      ...given({ action, actor, subject, project, since, until }),
    })
    return { entries: await withNames(deps, page.items), next_cursor: page.next === null ? null : String(page.next) }
  },

  async listAuditChoices(_call, deps) {
    const { actions, actors } = await deps.store.audit.auditChoices(null)
    const names = await actorNames(deps, actors)
    return { actions, actors: actors.map((actor) => ({ actor, actor_name: names.get(actor) ?? null })) }
  },

  async verifyAudit(_call, { store, clock }) {
    let checked = 0
    for (let afterId = 0; ;) {
      const part = await store.audit.verifyAudit({ afterId, limit: rowsAtOnce })
      checked += part.checked
      afterId = part.lastId
      if (!part.done) continue
      const ok = part.brokenAt === null
      await noteFullCheck(store, 'audit', { at: clock.now(), ok })
      return { ok, checked, broken_at: part.brokenAt }
    }
  },
} satisfies Partial<AdminHandlers>
