import { type AdminOperation, adminOperations } from '@vitae/contract/admin'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '../../foundation/failure.ts'
import type { AppDeps } from '../exchange/deps.ts'
import { csrfOf, findAdmin, sessionCookie, mayUse } from './route/access.ts'
import { actorNames } from '../../operators/audit-names.ts'
import type { Admin } from '../../operators/deps.ts'
import { refuseToken } from './sign-in/refused-token.ts'
import { signOutUrl } from './sign-in/sign-in-routes.ts'
import { digest, sessionOf, setCookie, startSession } from './sign-in/session.ts'
import type { AdminHandlers } from './route/admin-route.ts'

export const sessionPath = '/admin/v1/session'

/** The caller's own console session: signing in with an admin token, and signing out. */
export const sessionHandlers = {
  /** The only operation without authentication; it slows down guesses itself. */
  async signIn({ body, request, reply }, deps) {
    refuseOtherSites(request)
    const { tokenId: openedWith, ...admin } = await checkToken(deps, request, body.token)
    const csrf = await startSession(deps, request, reply, { admin, method: 'token', openedWith, subject: null })
    return sessionView(deps, admin, csrf)
  },

  async showSession({ admin, request }, deps) {
    const session = request.headers.authorization === undefined ? sessionOf(request) : null
    return sessionView(deps, admin, session && csrfOf(session))
  },

  signOut: ({ request, reply }, deps) => signOut(deps, request, reply),
} satisfies Partial<AdminHandlers>

async function signOut(deps: AppDeps, request: FastifyRequest, reply: FastifyReply) {
  const session = sessionOf(request)
  if (session === null) return { ended: false, sign_out_url: null }
  const { idleMs } = deps.admin.signIn
  const row = await deps.store.sessions.findSession({
    hash: digest(session),
    at: deps.clock.now(),
    idleMs,
    unattended: true,
  })
  await deps.store.sessions.closeSession({ hash: digest(session) })
  setCookie(deps, request, reply, { name: sessionCookie, value: '', maxAgeSeconds: 0 })
  const url = row?.method === 'single_sign_on' ? await signOutUrl(deps, request, reply) : null
  return { ended: true, sign_out_url: url }
}

/** Refuses other sites: they could sign a browser in, and its user would act under another person's name. */
function refuseOtherSites(request: FastifyRequest): void {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new Failure('csrf_token_required')
}

async function checkToken(deps: AppDeps, request: FastifyRequest, token: string) {
  if (!deps.admin.signIn.token) {
    const detail = 'Signing in to the console with a token is turned off (VITAE_TOKEN_SIGN_IN).'
    throw new Failure('admin_role_too_low', { detail })
  }
  const admin = await findAdmin(deps.admin, token.trim())
  if (!admin) throw await refuseToken(deps, request, 'sign_in')
  return admin
}

async function sessionView(deps: AppDeps, admin: Admin, csrf: string | null) {
  const { actor, role, project } = admin
  const rows = Object.entries<AdminOperation>(adminOperations)
  const capabilities = rows.filter(([, row]) => row.role !== null && mayUse(row, admin)).map(([id]) => id)
  const name = (await actorNames(deps, [actor])).get(actor) ?? null
  return { actor, actor_name: name, role, project, capabilities, csrf }
}
