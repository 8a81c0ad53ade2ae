import { hash, randomBytes } from 'node:crypto'
import { Failure } from '../../../foundation/failure.ts'
import { nextCursor, placeCursor, placeText } from '../route/pagination.ts'
import { given } from '../../../foundation/schema/given.ts'
import { sessionId } from '../../../accounts/session-operations.ts'
import type { SessionRow } from '../../../database/tables/operators.ts'
import { digest, sessionOf } from '../sign-in/session.ts'
import { actorNames } from '../../../operators/audit-names.ts'
import type { AdminHandlers } from '../route/admin-route.ts'

/** Admin tokens: stored as hashes, with one role, for one project or all. Only owners manage them. */
export const tokenHandlers = {
  async listTokens({ query: { text, state, limit = null, cursor } }, { store }) {
    const wanted = { limit, after: placeCursor(cursor), ...given({ text, state }) }
    const tokens = await store.tokens.listTokens(wanted)
    const next = limit === null ? null : nextCursor(tokens, limit, (row) => placeText(row.created_at, row.id))
    return { tokens, next_cursor: next }
  },

  async createToken({ admin, body }, { store, clock }) {
    const project = body.project ?? null
    if (project !== null && (await store.projects.listProjects({ project, at: clock.now() })).length === 0) {
      throw new Failure('not_found', { detail: `There is no project ${project} to limit the token to.` })
    }
    const secret = `vt_admin_${randomBytes(24).toString('base64url')}`
    const view = await store.tokens.createToken({
      id: `tok_${randomBytes(9).toString('hex')}`,
      hash: hash('sha256', secret, 'hex'),
      label: body.label ?? null,
      role: body.role,
      project,
      actor: admin.actor,
      at: clock.now(),
    })
    return { ...view, token: secret }
  },

  revokeToken: ({ admin, params }, { store, clock }) =>
    store.tokens.revokeToken({ id: params.id, actor: admin.actor, at: clock.now() }),

  async listSessions({ request, query: { text, limit, cursor } }, deps) {
    const own = sessionOf(request)
    const hash = own && digest(own)
    const wanted = { at: deps.clock.now(), after: placeCursor(cursor), ...given({ text, limit }) }
    const rows = await deps.store.sessions.listSessions(wanted)
    const names = await actorNames(
      deps,
      rows.map(({ actor }) => actor),
    )
    const sessions = rows.map((row) => sessionView(row, hash, names.get(row.actor) ?? null))
    const next = limit === undefined ? null : nextCursor(sessions, limit, (row) => placeText(row.created_at, row.id))
    return { sessions, next_cursor: next }
  },

  async endSession({ admin, params, body }, { store, clock }) {
    const by = { reason: body.reason ?? null, actor: admin.actor, at: clock.now() }
    const ended = await store.sessions.endSessions({ which: { id: params.id }, ...by })
    if (ended.length > 0) return { ended }
    throw new Failure('not_found', {
      detail: `There is no session ${params.id}.`,
      hint: '"vitae sessions list" shows all sessions.',
    })
  },

  async endSessionsOf({ admin, body }, { store, clock }) {
    const by = { reason: body.reason ?? null, actor: admin.actor, at: clock.now() }
    const actors = [body.person, `person:${body.person}`]
    return { ended: await store.sessions.endSessions({ which: { actors }, ...by }) }
  },
} satisfies Partial<AdminHandlers>

function sessionView(row: SessionRow, ownHash: string | null, name: string | null) {
  const current = row.hash === ownHash
  return { ...row, id: sessionId(row), actor_name: name, last_used_at: row.seen_at ?? row.created_at, current }
}
