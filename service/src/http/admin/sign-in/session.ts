import { hash, randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SignInConfig } from '../../../config/sign-in-config.ts'
import type { SessionRow } from '../../../database/tables/operators.ts'
import { isLoopbackName } from '../../../foundation/networks.ts'
import type { AppDeps } from '../../exchange/deps.ts'
import { csrfOf, readCookie, sessionCookie } from '../route/access.ts'
import type { Admin } from '../../../operators/deps.ts'

/** The admin who opens a session, and the sign-in method. */
export interface Entrant {
  admin: Admin
  method: SessionRow['method']
  openedWith: string
  /** The person's id at the identity provider. */
  subject: string | null
}

/**
 * Opens a session, sets its cookie and returns its CSRF token. The secret is always new: a session that the browser
 * already has ends, which prevents session fixation.
 */
export async function startSession(
  deps: AppDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { admin, method, openedWith, subject }: Entrant,
): Promise<string> {
  const present = sessionOf(request)
  if (present) await deps.store.sessions.closeSession({ hash: digest(present) })
  const secret = randomBytes(32).toString('base64url')
  const csrf = csrfOf(secret)
  const now = deps.clock.now()
  const { sessionMs } = deps.admin.signIn
  const session: SessionRow = {
    hash: digest(secret),
    actor: admin.actor,
    role: admin.role,
    project: admin.project,
    method,
    csrf: digest(csrf),
    token_id: openedWith,
    address: request.ip,
    user_agent: request.headers['user-agent']?.slice(0, 300) ?? null,
    created_at: now,
    seen_at: now,
    expires_at: now + sessionMs,
  }
  await deps.store.sessions.openSession({ session, subject })
  setCookie(deps, request, reply, { name: sessionCookie, value: secret, maxAgeSeconds: sessionMs / 1_000 })
  return csrf
}

/** The session secret in the request's cookie. */
export function sessionOf(request: FastifyRequest): string | null {
  return readCookie(request.headers.cookie, sessionCookie)
}

interface SignInDeps {
  admin: { signIn: Pick<SignInConfig, 'publicUrl'> }
}

interface Cookie {
  name: string
  value: string
  maxAgeSeconds: number
  path?: string
  sameSite?: 'Strict' | 'Lax'
}

/**
 * Sets an HttpOnly cookie. It is `Secure` except on loopback, which has no https. The public URL or a trusted proxy in
 * front of a loopback address may say https.
 */
export function setCookie(deps: SignInDeps, request: FastifyRequest, reply: FastifyReply, cookie: Cookie): void {
  const { name, value, maxAgeSeconds, path = '/', sameSite = 'Strict' } = cookie
  const isHttps = request.protocol === 'https' || deps.admin.signIn.publicUrl?.startsWith('https:')
  const isSecure = isHttps || !isLoopbackName(request.host)
  const parts = [`${name}=${value}`, `Path=${path}`, `Max-Age=${maxAgeSeconds}`, 'HttpOnly', `SameSite=${sameSite}`]
  reply.header('Set-Cookie', [...parts, ...(isSecure ? ['Secure'] : [])].join('; '))
}

export function digest(secret: string): string {
  return hash('sha256', secret, 'hex')
}
