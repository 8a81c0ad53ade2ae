import { kinds, type Kind } from '@vitae/contract'
import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import type { AuditItem } from '../../../audit/audit-operations.ts'
import { Failure } from '../../../foundation/failure.ts'
import { noteFullCheck } from '../../../lifecycle/doctor/check-integrity.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { numberCursor, pageQuery } from '../pagination.ts'
import { readTimeIfGiven, spanQuery } from '../read-time.ts'
import { refOf } from '../records/find-record.ts'
import { Count, Cursor, given, KindName, orNull, Time } from '../schemas.ts'
import { isoTime } from '../../../foundation/clock.ts'
import { actorNames } from '../access.ts'

const Entry = Type.Object({
  id: Type.Integer(),
  at: Time,
  actor: Type.String(),
  action: Type.String(),
  subject: orNull(Type.String()),
  actor_name: orNull(Type.String({ description: 'The label of the token; null where there is none.' })),
  record: orNull(
    Type.Object(
      { kind: KindName, key: Type.String(), name: orNull(Type.String()) },
      { description: 'The record that the subject means. It is looked up now: of an erased one nothing is known.' },
    ),
  ),
  reason: orNull(Type.String()),
  before: Type.Unknown(),
  after: Type.Unknown(),
})
const rowsAtOnce = 5_000
const tag = 'audit'

/** Who did what: every change, and every look at a record. */
export function auditRoutes(app: FastifyInstance, deps: AppDeps): void {
  listAuditRoute(app, deps)
  verifyAuditRoute(app, deps)
}

const listAuditRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'GET /audit',
  operationId: 'listAudit',
  summary: 'The audit log, newest first',
  role: 'viewer',
  query: Type.Object({
    ...pageQuery,
    action: Type.Optional(Type.String()),
    actor: Type.Optional(Type.String()),
    subject: Type.Optional(Type.String()),
    project: Type.Optional(
      Type.String({
        description: 'What was done to this project, its environments, keys and all that belongs to them.',
      }),
    ),
    kind: Type.Optional(KindName),
    record: Type.Optional(
      Type.String({ description: 'Who looked at or changed this record: a member_urn, company_id, slug or URL.' }),
    ),
    ...spanQuery,
  }),
  response: Type.Object({ entries: Type.Array(Entry), next_cursor: Cursor }),
  async handle({ query }) {
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
}))

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
async function named(deps: AppDeps, items: readonly AuditItem[]): Promise<Static<typeof Entry>[]> {
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

const verifyAuditRoute = adminRoute(tag, ({ store, clock }: AppDeps) => ({
  route: 'GET /audit/verify',
  operationId: 'verifyAudit',
  summary: 'Check that no entry of the audit log was changed or removed',
  role: 'viewer',
  response: Type.Object({
    ok: Type.Boolean(),
    checked: Count,
    broken_at: orNull(Type.Integer({ description: 'The first entry that does not follow from the one before it.' })),
  }),
  async handle() {
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
}))
