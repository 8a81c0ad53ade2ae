import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { roles } from '../../accounts/token-operations.ts'
import { Failure } from '../../foundation/failure.ts'
import type { AppDeps } from '../deps.ts'
import { csrfOf, findAdmin, sessionCookie, type Admin, mayUse, actorNames } from './access.ts'
import { adminRoute, failureSchemas } from './admin-route.ts'
import { orNull } from './schemas.ts'
import { refuseToken } from './sign-in/refused-token.ts'
import { signOutUrl } from './sign-in/sign-in-routes.ts'
import { digest, sessionOf, setCookie, startSession } from './sign-in/session.ts'
import { validate } from '../validate.ts'

export const sessionPath = '/admin/v1/session'
const tag = 'session'

const SessionView = Type.Object({
  actor: Type.String(),
  actor_name: orNull(Type.String({ description: 'The label of the token; null where there is none.' })),
  role: Type.Enum([...roles]),
  project: orNull(Type.String({ description: 'The one project it is limited to; null = all.' })),
  capabilities: Type.Array(Type.String(), {
    description: 'The operations that role and project allow, by operationId.',
  }),
  csrf: orNull(Type.String()),
})

/** The session of the one who asks: the console's way in with an admin token, and its way out. */
export function sessionRoutes(app: FastifyInstance, deps: AppDeps): void {
  signInRoute(app, deps)
  showSessionRoute(app, deps)
  signOutRoute(app, deps)
}

const showSessionRoute = adminRoute(tag, (deps: AppDeps, app: FastifyInstance) => ({
  route: 'GET /session',
  operationId: 'showSession',
  summary: 'Who is signed in, what they may do, and the token that changes must carry',
  role: 'viewer',
  filtered: true,
  response: SessionView,
  async handle({ admin, request }) {
    const session = request.headers.authorization === undefined ? sessionOf(request) : null
    return sessionView(app, deps, admin, session && csrfOf(session))
  },
}))

const signOutRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'DELETE /session',
  operationId: 'signOut',
  summary: 'End this session',
  role: 'viewer',
  filtered: true,
  response: Type.Object({
    ended: Type.Boolean(),
    sign_out_url: orNull(Type.String({ description: 'Where the browser signs out at the identity provider too.' })),
  }),
  handle: ({ request, reply }) => signOut(deps, request, reply),
}))

async function signOut(deps: AppDeps, request: FastifyRequest, reply: FastifyReply) {
  const session = sessionOf(request)
  if (session === null) return { ended: false, sign_out_url: null }
  const { idleMs } = deps.admin.signIn
  const row = await deps.store.findSession({ hash: digest(session), at: deps.clock.now(), idleMs, unattended: true })
  await deps.store.closeSession({ hash: digest(session) })
  setCookie(request, reply, { name: sessionCookie, value: '', maxAgeSeconds: 0 })
  const url = row?.method === 'single_sign_on' ? await signOutUrl(deps, request, reply) : null
  return { ended: true, sign_out_url: url }
}

/** The one admin path without authentication: it is registered without `adminRoute` and slows down guesses itself. */
function signInRoute(app: FastifyInstance, deps: AppDeps): void {
  app.post<{ Body: { token: string } }>(
    sessionPath,
    {
      schema: {
        operationId: 'signIn',
        tags: [tag],
        summary: 'Sign in with an admin token',
        security: [],
        body: Type.Object({ token: Type.String({ minLength: 1, maxLength: 1_000 }) }),
        response: { 200: SessionView, ...failureSchemas },
      },
      validatorCompiler: validate,
      serializerCompiler: () => (data) => JSON.stringify(data),
    },
    async (request, reply) => {
      refuseOtherSites(request)
      const { tokenId: openedWith, ...admin } = await checkToken(deps, request)
      const csrf = await startSession(deps, request, reply, { admin, method: 'token', openedWith, subject: null })
      return reply.send(await sessionView(app, deps, admin, csrf))
    },
  )
}

/** A page of another site may not sign a browser in, or its user would act under another person's name. */
function refuseOtherSites(request: FastifyRequest): void {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new Failure('csrf_token_required')
}

async function checkToken(deps: AppDeps, request: FastifyRequest<{ Body: { token: string } }>) {
  if (!deps.admin.signIn.token) {
    const detail = 'Signing in to the console with a token is turned off (VITAE_TOKEN_SIGN_IN).'
    throw new Failure('admin_role_too_low', { detail })
  }
  const admin = await findAdmin(deps.admin, request.body.token.trim())
  if (!admin) throw await refuseToken(deps, request, 'sign_in')
  return admin
}

async function sessionView({ accessRules }: FastifyInstance, deps: AppDeps, admin: Admin, csrf: string | null) {
  const { actor, role, project } = admin
  const capabilities = accessRules.filter((rule) => mayUse(rule, admin)).map(({ operationId }) => operationId)
  const name = (await actorNames(deps, [actor])).get(actor) ?? null
  return { actor, actor_name: name, role, project, capabilities, csrf }
}
