import { hash, randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { roles } from '../../../accounts/token-operations.ts'
import { Failure } from '../../../foundation/failure.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { nextCursor, pageQuery, placeCursor, placeText } from '../pagination.ts'
import { Cursor, given, orNull, Time } from '../schemas.ts'

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

function listTokensRoute(app: FastifyInstance, { store }: AppDeps): void {
  adminRoute(app, {
    route: 'GET /tokens',
    operationId: 'listTokens',
    tag,
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
  })
}

function createTokenRoute(app: FastifyInstance, { store, clock }: AppDeps): void {
  adminRoute(app, {
    route: 'POST /tokens',
    operationId: 'createToken',
    tag,
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
  })
}

function revokeTokenRoute(app: FastifyInstance, { store, clock }: AppDeps): void {
  adminRoute(app, {
    route: 'POST /tokens/:id/revoke',
    operationId: 'revokeToken',
    tag,
    summary: 'Revoke an admin token, and end the console sessions that were opened with it',
    role: 'owner',
    params: Type.Object({ id: Type.String() }),
    response: Token,
    handle: ({ admin, params }) => store.revokeToken({ id: params.id, actor: admin.actor, at: clock.now() }),
  })
}
