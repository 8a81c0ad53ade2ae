import { hash, randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { roles } from '../../accounts/token-operations.ts'
import { Failure } from '../../foundation/failure.ts'
import type { Rate } from '../../foundation/rate.ts'
import type { AppDeps } from '../deps.ts'
import { findAdmin, readCookie, sessionCookie, type Admin } from './access.ts'
import { mayUse } from './access-rule.ts'
import { adminRoute, failureSchemas } from './admin-route.ts'
import { orNull } from './schemas.ts'
import { validate } from './validate.ts'

export const sessionPath = '/admin/v1/session'
const lifeMs = 12 * 3_600_000
/** Failed sign-ins per client address; those that succeed are given back. */
const loginRate: Rate = { limit: 10, windowMs: 300_000 }
const tag = 'session'

const SessionView = Type.Object({
  actor: Type.String(),
  role: Type.Enum([...roles]),
  project: orNull(Type.String({ description: 'The one project it is limited to; null = all.' })),
  capabilities: Type.Array(Type.String(), {
    description: 'The operations that role and project allow, by operationId.',
  }),
  csrf: orNull(Type.String()),
})

/** The console's way in and out: an admin token is changed for a cookie that no script can read. */
export function sessionRoutes(app: FastifyInstance, deps: AppDeps): void {
  signInRoute(app, deps)
  adminRoute(app, {
    method: 'GET',
    path: '/session',
    operationId: 'showSession',
    tag,
    summary: 'Who is signed in, and the token that changes must carry',
    role: 'viewer',
    filtered: true,
    response: SessionView,
    async handle({ admin, reply }) {
      const session = sessionOf(reply.request)
      const row = session && (await deps.store.findSession({ hash: digest(session), at: deps.clock.now() }))
      return sessionView(app, admin, row ? row.csrf : null)
    },
  })
  adminRoute(app, {
    method: 'DELETE',
    path: '/session',
    operationId: 'signOut',
    tag,
    summary: 'End this session',
    role: 'viewer',
    filtered: true,
    async handle({ reply }) {
      const session = sessionOf(reply.request)
      if (session) await deps.store.closeSession({ hash: digest(session) })
      reply.header('Set-Cookie', cookieText(reply.request, '', 0))
      return { ended: session !== null }
    },
  })
}

/** The one admin path without authentication: it is registered without `adminRoute` and limits callers itself. */
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
      const admin = await checkToken(deps, request)
      return reply.send(await startSession(deps, request, reply, admin))
    },
  )
}

/** A page of another site may not sign a browser in, or its user would act under another person's name. */
function refuseOtherSites(request: FastifyRequest): void {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new Failure('csrf_token_required')
}

async function checkToken(deps: AppDeps, request: FastifyRequest<{ Body: { token: string } }>) {
  const counter = `login/${request.ip}`
  // Counted before the token is looked at, so that parallel guesses cannot slip past the limit.
  const verdict = await deps.limiter.take(counter, loginRate)
  if (!verdict.allowed)
    throw new Failure('too_many_logins', {
      retryAfterSeconds: verdict.resetSeconds,
      detail: `Too many failed sign-ins from this address. Try again in ${verdict.resetSeconds} seconds.`,
    })
  const admin = await findAdmin(deps.admin, request.body.token.trim())
  if (!admin) throw new Failure('admin_token_required', { detail: 'This admin token opens nothing.' })
  await deps.limiter.giveBack(counter, loginRate)
  return admin
}

/** The id is always new and ours: one that a browser brings along is never taken over, and its session ends. */
async function startSession(
  deps: AppDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  admin: Admin & { tokenId: string },
) {
  const present = sessionOf(request)
  if (present) await deps.store.closeSession({ hash: digest(present) })
  const session = randomBytes(32).toString('base64url')
  const csrf = randomBytes(32).toString('base64url')
  const now = deps.clock.now()
  const { actor, role, project, tokenId } = admin
  await deps.store.openSession({
    session: {
      hash: digest(session),
      actor,
      role,
      project,
      csrf,
      token_id: tokenId,
      created_at: now,
      expires_at: now + lifeMs,
    },
  })
  reply.header('Set-Cookie', cookieText(request, session, lifeMs / 1_000))
  return sessionView(request.server, admin, csrf)
}

function sessionView({ accessRules }: FastifyInstance, admin: Admin, csrf: string | null) {
  const { actor, role, project } = admin
  const capabilities = accessRules.filter((rule) => mayUse(rule, admin)).map(({ operationId }) => operationId)
  return { actor, role, project, capabilities, csrf }
}

function sessionOf(request: FastifyRequest): string | null {
  return readCookie(request.headers.cookie, sessionCookie)
}

/** Browsers send a `Secure` cookie over https only; on loopback there is no https and nobody to listen. */
function cookieText(request: FastifyRequest, value: string, maxAgeSeconds: number): string {
  const loopback = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i.test(request.host)
  const parts = [`${sessionCookie}=${value}`, 'Path=/', `Max-Age=${maxAgeSeconds}`, 'HttpOnly', 'SameSite=Strict']
  return [...parts, ...(loopback ? [] : ['Secure'])].join('; ')
}

function digest(session: string): string {
  return hash('sha256', session, 'hex')
}
