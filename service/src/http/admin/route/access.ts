import type { SessionStore } from '../../../accounts/session-operations.ts'
import type { TokenStore } from '../../../accounts/token-operations.ts'
import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type AdminOperation, rolesThatMay } from '@vitae/contract/admin'
import type { OidcConfig, SignInConfig } from '../../../config/sign-in-config.ts'
import type { Clock } from '../../../foundation/clock.ts'
import type { SessionRow } from '../../../database/tables/operators.ts'
import { Failure } from '../../../foundation/failure.ts'
import type { Admin } from '../../../operators/deps.ts'

interface Deps {
  clock: Clock
  store: {
    tokens: Pick<TokenStore, 'findToken'>
    sessions: Pick<SessionStore, 'findSession'>
  }
  /** The owner's token, configured or generated at the first start. */
  ownerToken: string
  signIn: SignInConfig
}

export const sessionCookie = 'vitae_session'
const csrfHeader = 'x-csrf-token'
/** The console sends this header with requests that it makes without user activity. */
const unattendedHeader = 'x-unattended'

/**
 * Authenticates by bearer token or console session. Returns null for a wrong token; throws 401 without credentials, for
 * any path.
 */
export async function authenticateAdmin(deps: Deps, request: IncomingMessage): Promise<Admin | null> {
  if (request.headers.authorization !== undefined) return byToken(deps, request)
  const session = readCookie(request.headers.cookie, sessionCookie)
  if (session !== null) return bySession(deps, session, request)
  throw new Failure('admin_token_required', { detail: 'Send an admin token as "Authorization: Bearer ...".' })
}

/** Finds the admin of a token; null if the token is unknown or revoked. */
export async function findAdmin(deps: Deps, token: string): Promise<(Admin & { tokenId: string }) | null> {
  const digest = hash('sha256', token, 'hex')
  if (sameText(digest, hash('sha256', deps.ownerToken, 'hex')))
    return { actor: 'owner', role: 'owner', project: null, tokenId: ownerId(deps) }
  const row = await deps.store.tokens.findToken({ hash: digest, at: deps.clock.now() })
  if (!row || row.revoked_at !== null) return null
  return { actor: `token:${row.id}`, role: row.role, project: row.project, tokenId: row.id }
}

/** The admin of a request's bearer token; null if it is missing or wrong. */
export async function byToken(deps: Deps, { headers }: IncomingMessage): Promise<Admin | null> {
  const token = /^Bearer ([\x21-\x7e]+)$/i.exec(headers.authorization ?? '')?.[1]
  return token === undefined ? null : findAdmin(deps, token)
}

async function bySession(deps: Deps, session: string, request: IncomingMessage): Promise<Admin> {
  const { idleMs } = deps.signIn
  const unattended = request.headers[unattendedHeader] !== undefined
  const found = { hash: hash('sha256', session, 'hex'), at: deps.clock.now(), idleMs, unattended }
  const row = await deps.store.sessions.findSession(found)
  if (!row || isOver(deps, row))
    throw new Failure('admin_token_required', { detail: 'The session has ended. Sign in again.' })
  if (request.method !== 'GET' && request.method !== 'HEAD') checkCsrf(request)
  return { actor: row.actor, role: row.role, project: row.project }
}

/** Refuses a request of a browser session without its CSRF token. A request with a bearer token needs none. */
export function checkCsrf({ headers }: Pick<IncomingMessage, 'headers'>): void {
  const session = headers.authorization === undefined ? readCookie(headers.cookie, sessionCookie) : null
  const csrf = headers[csrfHeader]
  if (session !== null && !(typeof csrf === 'string' && sameText(csrf, csrfOf(session))))
    throw new Failure('csrf_token_required')
}

/**
 * Whether a session is over: the owner's token changed, the single sign-on settings changed, or its sign-in method was
 * disabled.
 */
function isOver(deps: Deps, { method, actor, token_id: openedWith }: SessionRow): boolean {
  const { token, oidc } = deps.signIn
  if (method === 'single_sign_on') return oidc === null || openedWith !== oidcId(oidc)
  return !token || (actor === 'owner' && openedWith !== ownerId(deps))
}

/** The CSRF token of a session. It is derived from the session's secret, so it is not stored. */
export function csrfOf(session: string): string {
  return hash('sha256', `csrf:${session}`, 'base64url')
}

/** Identifies the single sign-on settings that determine roles. */
export function oidcId({ issuer, clientId, roleClaim, roles }: OidcConfig): string {
  return `oidc:${hash('sha256', JSON.stringify([issuer, clientId, roleClaim, roles]), 'hex').slice(0, 16)}`
}

/** Identifies the owner's token without revealing it. */
function ownerId({ ownerToken }: Deps): string {
  return `owner:${hash('sha256', ownerToken, 'hex').slice(0, 16)}`
}

/** Reads one cookie from the header; null if it is absent. */
export function readCookie(header: string | undefined, name: string): string | null {
  const pair = header
    ?.split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${name}=`))
  return pair === undefined ? null : pair.slice(name.length + 1)
}

function sameText(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}

type AccessRule = Pick<AdminOperation, 'role' | 'scope'>

/** The reason why the rule refuses this admin on every project, or null. */
function refusal({ role: needed, scope }: AccessRule, admin: Admin): string | null {
  const { role, project } = admin
  if (needed === null) return null
  if (!rolesThatMay[needed].includes(role))
    return `This needs the role ${rolesThatMay[needed].join(' or ')}; yours is ${role}.`
  if (project === null) return null
  if (scope === 'whole service') return `You are limited to project ${project}, and this is about the whole service.`
  // An operator of a project must not change its spending.
  if (needed === 'billing' && role !== 'billing')
    return `Limited to project ${project}, this needs the role billing; yours is ${role}.`
  return null
}

/** Whether the admin may use the route; the console offers only such routes. */
export function mayUse(rule: AccessRule, admin: Admin): boolean {
  return refusal(rule, admin) === null
}

/** Refuses an admin whose role or project does not cover the route. */
export function checkAccess(rule: AccessRule, admin: Admin): void {
  const detail = refusal(rule, admin)
  if (detail !== null) throw new Failure('admin_role_too_low', { detail })
}

/** Refuses a token of one project on any other project. */
export function checkProject(admin: Admin, project: string | null): void {
  if (admin.project === null || admin.project === project) return
  throw new Failure('admin_role_too_low', { detail: `You are limited to project ${admin.project}.` })
}
