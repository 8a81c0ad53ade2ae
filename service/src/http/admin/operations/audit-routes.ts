import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { noteFullCheck } from '../../../lifecycle/doctor/check-integrity.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { numberCursor, pageQuery } from '../pagination.ts'
import { Count, Cursor, given, iso, orNull, Time } from '../schemas.ts'

const Entry = Type.Object({
  id: Type.Integer(),
  at: Time,
  actor: Type.String(),
  action: Type.String(),
  subject: orNull(Type.String()),
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

function listAuditRoute(app: FastifyInstance, { store }: AppDeps): void {
  adminRoute(app, {
    method: 'GET',
    path: '/audit',
    operationId: 'listAudit',
    tag,
    summary: 'The audit log, newest first',
    role: 'viewer',
    query: Type.Object({
      ...pageQuery,
      action: Type.Optional(Type.String()),
      subject: Type.Optional(Type.String()),
    }),
    response: Type.Object({ entries: Type.Array(Entry), next_cursor: Cursor }),
    async handle({ query: { limit = 100, cursor, action, subject } }) {
      const page = await store.listAudit({ limit, cursor: numberCursor(cursor), ...given({ action, subject }) })
      return {
        entries: page.items.map((item) => ({ ...item, at: iso(item.at) })),
        next_cursor: page.next === null ? null : String(page.next),
      }
    },
  })
}

function verifyAuditRoute(app: FastifyInstance, { store, clock }: AppDeps): void {
  adminRoute(app, {
    method: 'GET',
    path: '/audit/verify',
    operationId: 'verifyAudit',
    tag,
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
  })
}
