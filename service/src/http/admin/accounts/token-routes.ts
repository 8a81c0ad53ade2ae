import { hash, randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { roles } from '../../../accounts/token-operations.ts'
import { Failure } from '../../../foundation/failure.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { nextCursor, pageQuery, placeCursor, placeText } from '../pagination.ts'
import { Cursor, given, orNull, Time } from '../schemas.ts'
import { sessionId } from '../../../accounts/session-operations.ts'
import type { SessionRow } from '../../../database/tables/operators.ts'
import { digest, sessionOf } from '../sign-in/session.ts'
import { isoTime } from '../../../foundation/clock.ts'
import { actorNames } from '../access.ts'

const tag = 'tokens'
const token = {
  id: Type.String(),
  label: orNull(Type.String()),
  role: Type.Enum([...roles]),
  project: orNull(Type.String({ description: 'The one project it is limited to; null = all.' })),
  created_at: Time,
  last_used_at: orNull(Time),
  revoked_at: orNull(Time),
}
const Token = Type.Object(token)

/** Admin tokens: hashed, of one role, for all projects or one. Only owners deal with them. */
export function tokenRoutes(app: FastifyInstance, deps: AppDeps): void {
  listTokensRoute(app, deps)
  createTokenRoute(app, deps)
  revokeTokenRoute(app, deps)
}

const listTokensRoute = adminRoute(tag, ({ store }: AppDeps) => ({
  route: 'GET /tokens',
  operationId: 'listTokens',
  summary: 'List admin tokens',
  role: 'owner',
  description: 'Without a `limit` all of them.',
  query: Type.Object({
    text: Type.Optional(Type.String({ maxLength: 200, description: 'Part of a label or an id.' })),
    state: Type.Optional(Type.Enum(['active', 'revoked'])),
    ...pageQuery,
  }),
  response: Type.Object({ tokens: Type.Array(Token), next_cursor: Cursor }),
  async handle({ query: { text, state, limit = null, cursor } }) {
    const wanted = { limit, after: placeCursor(cursor), ...given({ text, state }) }
    const tokens = await store.listTokens(wanted)
    const next = limit === null ? null : nextCursor(tokens, limit, (row) => placeText(row.created_at, row.id))
    return { tokens, next_cursor: next }
  },
}))

const createTokenRoute = adminRoute(tag, ({ store, clock }: AppDeps) => ({
  route: 'POST /tokens',
  operationId: 'createToken',
  summary: 'Make an admin token; the answer is the only place where it is ever shown',
  role: 'owner',
  status: 201,
  body: Type.Object({
    label: Type.Optional(orNull(Type.String({ maxLength: 200 }))),
    role: token.role,
    project: Type.Optional(orNull(Type.String())),
  }),
  response: Type.Object({ ...token, token: Type.String() }),
  async handle({ admin, body }) {
    const project = body.project ?? null
    if (project !== null && (await store.listProjects({ project, at: clock.now() })).length === 0) {
      throw new Failure('not_found', { detail: `There is no project ${project} to limit the token to.` })
    }
    const secret = `vt_admin_${randomBytes(24).toString('base64url')}`
    const view = await store.createToken({
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
}))

const revokeTokenRoute = adminRoute(tag, ({ store, clock }: AppDeps) => ({
  route: 'POST /tokens/:id/revoke',
  operationId: 'revokeToken',
  summary: 'Revoke an admin token, and end the console sessions that were opened with it',
  role: 'owner',
  params: Type.Object({ id: Type.String() }),
  response: Token,
  handle: ({ admin, params }) => store.revokeToken({ id: params.id, actor: admin.actor, at: clock.now() }),
}))

const Session = Type.Object({
  id: Type.String(),
  actor: Type.String({ description: 'As the audit log names them: `person:...`, `token:...` or `owner`.' }),
  actor_name: orNull(Type.String({ description: 'The label of the token; null where there is none.' })),
  role: Type.Enum([...roles]),
  project: orNull(Type.String({ description: 'The one project it is limited to; null = all.' })),
  method: Type.Enum(['token', 'single_sign_on']),
  address: orNull(Type.String({ description: 'Where the sign-in came from.' })),
  user_agent: orNull(Type.String()),
  created_at: Time,
  last_used_at: Type.String({ format: 'date-time', description: 'ISO 8601, UTC; exact to a minute.' }),
  expires_at: Time,
  current: Type.Boolean({ description: 'Whether it is the session that asks.' }),
})
const Ended = Type.Object({ ended: Type.Array(Type.String(), { description: 'The ids of the sessions that ended.' }) })
const reason = Type.Optional(Type.String())

/** Who is signed in to the console, and how to sign them out. */
export function sessionListRoutes(app: FastifyInstance, deps: AppDeps): void {
  listSessionsRoute(app, deps)
  endSessionRoute(app, deps)
  endSessionsOfRoute(app, deps)
}

const listSessionsRoute = adminRoute('session', (deps: AppDeps) => ({
  route: 'GET /sessions',
  operationId: 'listSessions',
  summary: 'Who is signed in to the console, from where and since when, newest first',
  description: 'All of them, or a page where limit is given.',
  role: 'owner',
  query: Type.Object({
    text: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name of who is signed in.' })),
    ...pageQuery,
  }),
  response: Type.Object({ sessions: Type.Array(Session), next_cursor: Cursor }),
  async handle({ request, query: { text, limit, cursor } }) {
    const own = sessionOf(request)
    const hash = own && digest(own)
    const wanted = { at: deps.clock.now(), after: placeCursor(cursor), ...given({ text, limit }) }
    const rows = await deps.store.listSessions(wanted)
    const names = await actorNames(
      deps,
      rows.map(({ actor }) => actor),
    )
    const sessions = rows.map((row) => sessionView(row, hash, names.get(row.actor) ?? null))
    const next = limit === undefined ? null : nextCursor(sessions, limit, (row) => placeText(row.created_at, row.id))
    return { sessions, next_cursor: next }
  },
}))

const endSessionRoute = adminRoute('session', ({ store, clock }: AppDeps) => ({
  route: 'POST /sessions/:id/end',
  operationId: 'endSession',
  summary: 'End one session at once, on every node',
  role: 'owner',
  params: Type.Object({ id: Type.String() }),
  body: Type.Object({ reason }),
  response: Ended,
  async handle({ admin, params, body }) {
    const by = { reason: body.reason ?? null, actor: admin.actor, at: clock.now() }
    const ended = await store.endSessions({ which: { id: params.id }, ...by })
    if (ended.length > 0) return { ended }
    throw new Failure('not_found', {
      detail: `There is no session ${params.id}. "vitae sessions list" shows those there are.`,
    })
  },
}))

const endSessionsOfRoute = adminRoute('session', ({ store, clock }: AppDeps) => ({
  route: 'POST /sessions/end',
  operationId: 'endSessionsOf',
  summary: 'End all sessions of a person at once',
  description: 'Whoever still has a role can sign in again: take them out of the group, or revoke their token, first.',
  role: 'owner',
  body: Type.Object({
    person: Type.String({ minLength: 1, description: 'As the list names them; `person:` may be left out.' }),
    reason,
  }),
  response: Ended,
  async handle({ admin, body }) {
    const by = { reason: body.reason ?? null, actor: admin.actor, at: clock.now() }
    const actors = [body.person, `person:${body.person}`]
    return { ended: await store.endSessions({ which: { actors }, ...by }) }
  },
}))

function sessionView(row: SessionRow, ownHash: string | null, name: string | null) {
  const { actor, role, project, method, address, user_agent, hash } = row
  return {
    id: sessionId(row),
    actor,
    actor_name: name,
    role,
    project,
    method,
    address,
    user_agent,
    created_at: isoTime(row.created_at),
    last_used_at: isoTime(row.seen_at ?? row.created_at),
    expires_at: isoTime(row.expires_at),
    current: hash === ownHash,
  }
}
