import { randomBytes, hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { OidcConfig } from '../../../config/sign-in-config.ts'
import type { Rate } from '../../../foundation/rate.ts'
import type { AppDeps } from '../../exchange/deps.ts'
import { oidcId, readCookie } from '../route/access.ts'
import { authorizationUrl, endSessionUrl, flowOf, redeemCode, SignInFault } from './identity-provider.ts'
import { roleOf, type Person } from './person.ts'
import { setCookie, startSession } from './session.ts'

const signInPath = '/console/sign-in'
const callbackPath = `${signInPath}/callback`
/** Holds the secret of one sign-in until it ends. */
const flowCookie = { name: 'vitae_sign_in', path: signInPath, sameSite: 'Lax' } as const
const flowSeconds = 600
/** Sent only to the issuer, at sign-out. */
const idTokenCookie = { name: 'vitae_id_token', path: '/admin/v1/session' } as const
const longestCookie = 3_500
/** Each step calls the issuer, so steps are limited per address. */
const stepRate: Rate = { limit: 100, windowMs: 300_000 }

/** Single sign-on by OpenID Connect: authorization code with PKCE, bound to the browser that began it. */
export function signInRoutes(app: FastifyInstance, deps: AppDeps): void {
  const { oidc, publicUrl, token } = deps.admin.signIn
  const url = oidc && publicUrl ? publicUrl + signInPath : null
  app.get(`${signInPath}/options`, async () => ({ token, single_sign_on: url }))
  if (!oidc || !publicUrl) return
  const at = { oidc, redirectUri: publicUrl + callbackPath }
  app.get(signInPath, async (request, reply) => {
    if (!(await mayStep(deps, request))) return tooMany(reply)
    const secret = randomBytes(32).toString('base64url')
    return answered(deps, reply, async () => {
      const target = await authorizationUrl(at, secret)
      setCookie(deps, request, reply, { ...flowCookie, value: secret, maxAgeSeconds: flowSeconds })
      return reply.redirect(target.href)
    })
  })
  app.get<{ Querystring: { state?: unknown } }>(callbackPath, async (request, reply) => {
    if (!(await mayStep(deps, request))) return tooMany(reply)
    const secret = readCookie(request.headers.cookie, flowCookie.name)
    // The secret is valid for one attempt, whatever its result.
    setCookie(deps, request, reply, { ...flowCookie, value: '', maxAgeSeconds: 0 })
    if (!secret || flowOf(secret).state !== request.query.state) return notBegunHere(reply)
    const query = request.url.slice(request.url.indexOf('?'))
    return answered(deps, reply, async () => {
      const { person, idToken } = await redeemCode(at, query, secret)
      return enter(deps, request, reply, { oidc, person, idToken })
    })
  })
}

async function enter(
  deps: AppDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { oidc, person, idToken }: { oidc: OidcConfig; person: Person; idToken: string },
): Promise<FastifyReply> {
  const { actor, subject, groups } = person
  const found = roleOf(oidc, groups)
  if (!found) return noRole(deps, reply, oidc, groups)
  const admin = { actor, role: found.role, project: found.project }
  await startSession(deps, request, reply, { admin, method: 'single_sign_on', openedWith: oidcId(oidc), subject })
  if (idToken.length <= longestCookie) {
    const maxAgeSeconds = deps.admin.signIn.sessionMs / 1_000
    setCookie(deps, request, reply, { ...idTokenCookie, value: idToken, maxAgeSeconds })
  }
  return reply.redirect('/console?signed-in')
}

/** The issuer's sign-out URL for this browser, or null. Removes the ID token. */
export async function signOutUrl(deps: AppDeps, request: FastifyRequest, reply: FastifyReply): Promise<string | null> {
  const { oidc, publicUrl } = deps.admin.signIn
  const idToken = readCookie(request.headers.cookie, idTokenCookie.name)
  setCookie(deps, request, reply, { ...idTokenCookie, value: '', maxAgeSeconds: 0 })
  if (!oidc || !publicUrl) return null
  try {
    return await endSessionUrl(oidc, idToken, `${publicUrl}/console`)
  } catch (error) {
    if (error instanceof SignInFault) return null
    throw error
  }
}

async function mayStep(deps: AppDeps, request: FastifyRequest): Promise<boolean> {
  return (await deps.limiter.take(`sign-in/${request.ip}`, stepRate)).allowed
}

async function answered(deps: AppDeps, reply: FastifyReply, step: () => Promise<FastifyReply>): Promise<FastifyReply> {
  try {
    return await step()
  } catch (error) {
    if (!(error instanceof SignInFault)) throw error
    // The cause may contain tokens and claims, so only its code is logged.
    const cause = error.cause instanceof Error && 'code' in error.cause ? error.cause.code : undefined
    deps.log.warn({ reason: error.message, cause }, 'single sign-on failed')
    const reason = escapeHtml(error.message)
    if (error.kind === 'refused')
      return sendSignInPage(reply, { status: 403, title: 'The sign-in was refused', lines: [reason] })
    const lines = [reason, 'Open sessions keep working. Try again in a moment.']
    return sendSignInPage(reply, { status: 503, title: 'The identity provider does not answer', lines })
  }
}

function notBegunHere(reply: FastifyReply): FastifyReply {
  const lines = ['It began in another browser, was used before, or took longer than ten minutes.']
  return sendSignInPage(reply, { status: 400, title: 'This sign-in cannot be finished', lines })
}

function tooMany(reply: FastifyReply): FastifyReply {
  const lines = ['Too many sign-ins from this address. Try again in five minutes.']
  return sendSignInPage(reply, { status: 429, title: 'Too many sign-ins', lines })
}

function noRole(deps: AppDeps, reply: FastifyReply, oidc: OidcConfig, groups: readonly string[]): FastifyReply {
  deps.log.warn({ groups: groups.length }, 'single sign-on refused: no group of this person has a role')
  const claim = `<code>${escapeHtml(oidc.roleClaim)}</code>`
  const seen = groups.map((group) => `<code>${escapeHtml(group)}</code>`).join(', ')
  const lines = [
    'You are known to the identity provider, but none of your groups has a role here.',
    groups.length > 0 ? `Groups seen in ${claim}: ${seen}.` : `No groups were seen in ${claim}.`,
    'Ask an owner of this service to add one of them to <code>VITAE_OIDC_ROLES</code>.',
  ]
  return sendSignInPage(reply, { status: 403, title: 'You have no role here', lines })
}

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:38rem;margin:12vh auto;padding:0 1rem;color:#1a1d21;background:#fff}' +
  'h1{font-size:1.4rem}code{background:#eef0f2;padding:.1em .35em;border-radius:4px;overflow-wrap:anywhere}a{color:#0b57d0}' +
  '@media(prefers-color-scheme:dark){body{color:#e8eaed;background:#15181b}code{background:#2a2f34}a{color:#8ab4f8}}'

/** The page is text with one inline style; everything else is blocked. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

interface Text {
  status: number
  title: string
  /** HTML; external text must be escaped. */
  lines: readonly string[]
}

/** Sends a page with the reason of a failed sign-in and the next step. */
function sendSignInPage(reply: FastifyReply, { status, title, lines }: Text): FastifyReply {
  const again = '<a href="/console/sign-in">Sign in again</a> · <a href="/console">To the console</a>'
  const body = [...lines, again].map((line) => `<p>${line}</p>`).join('')
  return reply
    .code(status)
    .headers({
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'no-referrer',
      'X-Frame-Options': 'DENY',
      'Cross-Origin-Opener-Policy': 'same-origin',
    })
    .type('text/html; charset=utf-8')
    .send(
      `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
        `<title>${title} · Vitae</title><style>${style}</style><main><h1>${title}</h1>${body}</main></html>`,
    )
}

/** Escapes text for HTML. */
function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
