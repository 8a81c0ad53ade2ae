import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { Failure } from '../foundation/failure.ts'
import { newRequestId } from '../foundation/request-id.ts'
import { traced } from '../foundation/tracing.ts'
import { adminRoutes, guardAdmin } from './admin/admin-routes.ts'
import { signInRoutes } from './admin/sign-in/sign-in-routes.ts'
import { callerRoutes } from './callers/caller-routes.ts'
import { mcpRoutes } from './callers/mcp-routes.ts'
import { assetRoutes, consoleRoutes, landingRoute } from './console-routes.ts'
import type { AppDeps } from './exchange/deps.ts'
import { failurePage, failureResponse, fromFastify, noteFailure } from './exchange/failure-response.ts'
import { guideRoutes } from './guide-routes.ts'
import { healthRoutes, metricsRoutes } from './health-routes.ts'
import { readJsonBodies } from './exchange/json-body.ts'
import { answerBrokenRequest, createHttpServer } from './server.ts'
import { varyValue, wantsProblems } from './lookup/caller-headers.ts'
import type { IsGone, LookupRequest, Reply } from './exchange/lookup-request.ts'
import { lookupRoutes, maxUrlLength, pastFastify } from './lookup/lookup-routes.ts'
import { referenceRoutes } from './reference-routes.ts'
import { serveLookup } from './lookup/serve-lookup.ts'

/** Default body limit. Even a refused body costs time to read, so only routes that take lists allow more. */
const bodyBytes = 65_536

/** The routes of a listener: all on one port, or callers and operators on separate ports (`VITAE_ADMIN_PORT`). */
export type Surface = 'both' | 'callers' | 'operators'

/** Builds the HTTP application of one listener. Only the folder `http/` knows Fastify. */
export async function buildApp(deps: AppDeps, surface: Surface = 'both'): Promise<FastifyInstance> {
  const app = createApp(deps, surface)
  setCommonHeaders(app, deps)
  guardAdmin(app, deps)
  answerFailures(app, deps)
  healthRoutes(app, deps)
  assetRoutes(app)
  failurePage(app)
  if (surface !== 'operators') {
    lookupRoutes(app, deps)
    callerRoutes(app, deps)
    mcpRoutes(app, deps)
    landingRoute(app)
    guideRoutes(app)
    referenceRoutes(app, deps)
  }
  if (surface !== 'callers') {
    metricsRoutes(app, deps)
    consoleRoutes(app)
    signInRoutes(app, deps)
    adminRoutes(app, deps)
  }
  return app
}

function createApp(deps: AppDeps, surface: Surface): FastifyInstance {
  const { trustedProxies } = deps
  const logger: FastifyBaseLogger = deps.log
  const app = Fastify({
    serverFactory: (handler) =>
      surface === 'operators'
        ? createHttpServer(handler, null)
        : createHttpServer(pastFastify(deps, handler), servePlain(deps)),
    clientErrorHandler: answerBrokenRequest,
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: false,
    // A path parameter may be a whole percent-encoded URL.
    routerOptions: { maxParamLength: maxUrlLength, ignoreTrailingSlash: true },
    rewriteUrl: ({ url = '/' }) => decodable(url),
    genReqId: () => newRequestId(),
    trustProxy: trustedProxies ? (address: string) => trustedProxies.includes(address) : false,
    bodyLimit: bodyBytes,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
  })
  readJsonBodies(app)
  // No route accepts text/plain. Without this, Fastify would report "not an object" instead of an unsupported media type.
  app.removeContentTypeParser('text/plain')
  return app
}

/**
 * Fastify answers an undecodable path itself, without authentication and not in our error format. Escaping each % makes
 * it an ordinary unknown path.
 */
function decodable(url: string): string {
  const path = url.split('?', 1)[0] ?? ''
  if (!path.includes('%')) return url
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return `${path.replaceAll('%', '%25')}${url.slice(path.length)}`
  }
}

/**
 * Sets the headers of every response, with HSTS if the public URL is https. Fast-path lookups skip HSTS, because
 * programs call them.
 */
function setCommonHeaders(app: FastifyInstance, { admin }: AppDeps): void {
  const isHttps = admin.signIn.publicUrl?.startsWith('https:') === true
  const stay = isHttps ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'X-Request-Id': request.id,
      'Cache-Control': 'private, no-store',
      Vary: varyValue,
      'X-Content-Type-Options': 'nosniff',
      ...stay,
    })
    if (request.url.length > maxUrlLength) throw new Failure('uri_too_long')
  })
}

/** Answers every failure in the contract's format, including wrong methods and unknown paths. */
function answerFailures(app: FastifyInstance, deps: AppDeps): void {
  app.setErrorHandler((error, request, reply) => {
    const failure = fromFastify(error)
    noteFailure(deps.log, failure, request.id)
    const { status, headers, body } = failureResponse(failure, request.id, wantsProblems(request.headers.accept))
    // Fastify closes the connection if it has not read the body. Our server discards the rest, so the client sees the response.
    if (reply.hasHeader('connection')) reply.header('connection', reply.raw.shouldKeepAlive ? 'keep-alive' : 'close')
    // Sent as bytes: Fastify adds a charset to strings, which `application/problem+json` must not have.
    return reply.code(status).headers(headers).send(Buffer.from(body))
  })
  app.setNotFoundHandler((request) => {
    const methods = knownMethods(app, request.url)
    if (methods.length > 0) throw new Failure('method_not_allowed', { detail: `Use ${methods.join(' or ')} here.` })
    throw new Failure('route_not_found', { detail: 'No route has this address. /docs lists all routes.' })
  })
  app.addHook('onSend', async (request, reply) => {
    if (reply.statusCode === 405) reply.header('Allow', knownMethods(app, request.url).join(', '))
  })
}

/** The handler of plain lookups. Null with tracing, because its instrumentation sees only Node's server. */
function servePlain(deps: AppDeps) {
  if (!deps.fastPath || traced) return null
  return (request: LookupRequest, reply: Reply, isGone: IsGone) => void serveLookup(deps, request, reply, isGone)
}

/** The methods that a path accepts, to tell 405 from 404. */
function knownMethods(app: FastifyInstance, url: string): string[] {
  const path = (url.split('?', 1)[0] ?? '').replace(/(?<=.)\/$/, '')
  return (['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const).filter(
    (method) => app.findRoute({ url: path, method }) !== null,
  )
}
