import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { sessionId } from '../../../accounts/session-operations.ts'
import { roles } from '../../../accounts/token-operations.ts'
import type { SessionRow } from '../../../database/tables/operators.ts'
import { Failure } from '../../../foundation/failure.ts'
import type { AppDeps } from '../../deps.ts'
import { actorNames } from '../actor-names.ts'
import { adminRoute } from '../admin-route.ts'
import { nextCursor, pageQuery, placeCursor, placeText } from '../pagination.ts'
import { Cursor, given, orNull, Time } from '../schemas.ts'
import { digest, sessionOf } from '../sign-in/session.ts'
import { isoTime } from '../../../foundation/clock.ts'

const tag = 'session'
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

function listSessionsRoute(app: FastifyInstance, deps: AppDeps): void {
  const { store, clock } = deps
  adminRoute(app, {
    route: 'GET /sessions',
    operationId: 'listSessions',
    tag,
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
      const wanted = { at: clock.now(), after: placeCursor(cursor), ...given({ text, limit }) }
      const rows = await store.listSessions(wanted)
      const names = await actorNames(
        deps,
        rows.map(({ actor }) => actor),
      )
      const sessions = rows.map((row) => sessionView(row, hash, names.get(row.actor) ?? null))
      const next = limit === undefined ? null : nextCursor(sessions, limit, (row) => placeText(row.created_at, row.id))
      return { sessions, next_cursor: next }
    },
  })
}

function endSessionRoute(app: FastifyInstance, { store, clock }: AppDeps): void {
  adminRoute(app, {
    route: 'POST /sessions/:id/end',
    operationId: 'endSession',
    tag,
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
  })
}

function endSessionsOfRoute(app: FastifyInstance, { store, clock }: AppDeps): void {
  adminRoute(app, {
    route: 'POST /sessions/end',
    operationId: 'endSessionsOf',
    tag,
    summary: 'End all sessions of a person at once',
    description:
      'Whoever still has a role can sign in again: take them out of the group, or revoke their token, first.',
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
  })
}

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
