import type { AdminAnswer } from '@vitae/contract/admin'
import { kinds, type Kind } from '@vitae/contract'
import type { AuditItem } from '../../../audit/audit-operations.ts'
import { Failure } from '../../../foundation/failure.ts'
import { noteFullCheck } from '../../../lifecycle/doctor/check-integrity.ts'
import type { AppDeps } from '../../deps.ts'
import { numberCursor } from '../pagination.ts'
import { readTimeIfGiven } from '../read-time.ts'
import { refOf } from '../../../operators/find-record.ts'
import { given } from '../../../foundation/schema/given.ts'
import { isoTime } from '../../../foundation/clock.ts'
import { actorNames } from '../access.ts'
import type { AdminHandlers } from '../admin-route.ts'

const rowsAtOnce = 5_000

/** Who did what: every change, and every look at a record. */
export const auditHandlers = {
  async listAudit({ query }, deps) {
    const { limit = 100, cursor, action, actor, project, kind, record } = query
    const subject = record === undefined ? query.subject : await subjectsOf(deps, kind, record)
    const now = deps.clock.now()
    const since = readTimeIfGiven('since', query.since, now)
    const until = readTimeIfGiven('until', query.until, now)
    const page = await deps.store.listAudit({
      limit,
      cursor: numberCursor(cursor),
      ...given({ action, actor, subject, project, since, until }),
    })
    return { entries: await named(deps, page.items), next_cursor: page.next === null ? null : String(page.next) }
  },

  async verifyAudit(_call, { store, clock }) {
    let checked = 0
    for (let afterId = 0; ;) {
      const part = await store.verifyAudit({ afterId, limit: rowsAtOnce })
      checked += part.checked
      afterId = part.lastId
      if (!part.done) continue
      const ok = part.brokenAt === null
      await noteFullCheck(store, 'audit', { at: clock.now(), ok })
      return { ok, checked, broken_at: part.brokenAt }
    }
  },
} satisfies Partial<AdminHandlers>

/** Everything under which the log may name a record; 404 where the store has none. */
async function subjectsOf(deps: AppDeps, wanted: Kind | undefined, text: string): Promise<string[]> {
  for (const kind of wanted ? [wanted] : kinds) {
    const ref = refIn(deps, kind, text)
    const entity = ref && (await deps.store.showEntity({ kind, ref }))
    if (entity) return deps.store.auditSubjects(entity)
  }
  throw new Failure('not_found', { detail: `Nothing is stored under ${text}.` })
}

/** What a text means among one kind; null where it cannot mean anything there. */
function refIn(deps: AppDeps, kind: Kind, text: string) {
  try {
    return refOf(deps, kind, text)
  } catch {
    return null
  }
}

/** The entries with the names by which people know tokens and records. The log itself holds none, so an erasure is whole. */
async function named(
  deps: AppDeps,
  items: readonly AuditItem[],
): Promise<AdminAnswer<'listAudit'>['entries'][number][]> {
  const ids = items.flatMap(({ subject }) => entityIdOf(subject) ?? [])
  const records = new Map(
    (await deps.store.entityNames({ ids: [...new Set(ids)] })).map((found) => [found.entityId, found]),
  )
  const names = await actorNames(
    deps,
    items.map(({ actor }) => actor),
  )
  return items.map((item) => {
    const found = records.get(entityIdOf(item.subject) ?? -1)
    const record = found ? { kind: found.kind, key: found.key, name: found.name } : null
    return { ...item, at: isoTime(item.at), actor_name: names.get(item.actor) ?? null, record }
  })
}

function entityIdOf(subject: string | null): number | null {
  const id = /^(?:people|companies)\/(\d{1,15})$/.exec(subject ?? '')?.[1]
  return id === undefined ? null : Number(id)
}
