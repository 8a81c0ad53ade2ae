import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { Failure } from '../foundation/failure.ts'
import { newRequestId } from '../foundation/request-id.ts'
import { traced } from '../foundation/tracing.ts'
import { adminRoutes, guardAdmin } from './admin/admin-routes.ts'
import { signInRoutes } from './admin/sign-in/sign-in-routes.ts'
import { callerRoutes } from './callers/caller-routes.ts'
import { mcpRoutes } from './callers/mcp-routes.ts'
import { assetRoutes, consoleRoutes, landingRoute } from './console-routes.ts'
import type { AppDeps } from './deps.ts'
import { failurePage, failureResponse, fromFastify, noteFailure } from './failure-response.ts'
import { guideRoutes } from './guide-routes.ts'
import { healthRoutes, metricsRoutes } from './health-routes.ts'
import { readJsonBodies } from './json-body.ts'
import { answerBrokenRequest, createHttpServer } from './server.ts'
import { varyValue, wantsProblems } from './lookup/caller-headers.ts'
import type { IsGone, LookupRequest, Reply } from './lookup/lookup-request.ts'
import { lookupRoutes, maxUrlLength, pastFastify } from './lookup/lookup-routes.ts'
import { referenceRoutes } from './reference-routes.ts'
import { serveLookup } from './lookup/serve-lookup.ts'

/** Most bodies are a few settings. A larger one costs time even where it is refused, so a route that takes lists says so. */
const bodyBytes = 65_536

/** Which routes a listener has: all of them on one port, or those for callers and for operators apart (`VITAE_ADMIN_PORT`). */
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
    // The id of a record may be a whole URL, percent-encoded.
    routerOptions: { maxParamLength: maxUrlLength, ignoreTrailingSlash: true },
    rewriteUrl: ({ url = '/' }) => decodable(url),
    genReqId: () => newRequestId(),
    trustProxy: trustedProxies ? (address: string) => trustedProxies.includes(address) : false,
    bodyLimit: bodyBytes,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
  })
  readJsonBodies(app)
  // No route reads it: without this such a body would be refused as no object, and not as of a wrong type.
  app.removeContentTypeParser('text/plain')
  return app
}

/**
 * Fastify answers a path that cannot be decoded by itself, in a form of its own and without asking who calls. Taken letter by
 * letter it is an address like any other, at which there is nothing.
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

/** Browsers that came by https once keep to it. Lookups that pass Fastify by are for programs. */
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

/** Every failure leaves in the form of the contract, wrong methods and unknown addresses included. */
function answerFailures(app: FastifyInstance, deps: AppDeps): void {
  app.setErrorHandler((error, request, reply) => {
    const failure = fromFastify(error)
    noteFailure(deps.log, failure, request.id)
    const { status, headers, body } = failureResponse(failure, request.id, wantsProblems(request.headers.accept))
    // Fastify closes the connection where it has not read the body; ours reads past it, and the client sees the answer.
    if (reply.hasHeader('connection')) reply.header('connection', reply.raw.shouldKeepAlive ? 'keep-alive' : 'close')
    // As bytes, because Fastify adds a charset to texts, and the type of a problem has none.
    return reply.code(status).headers(headers).send(Buffer.from(body))
  })
  app.setNotFoundHandler((request) => {
    const methods = knownMethods(app, request.url)
    if (methods.length > 0) throw new Failure('method_not_allowed', { detail: `Use ${methods.join(' or ')} here.` })
    throw new Failure('route_not_found', { detail: 'There is nothing at this address. /docs describes what there is.' })
  })
  app.addHook('onSend', async (request, reply) => {
    if (reply.statusCode === 405) reply.header('Allow', knownMethods(app, request.url).join(', '))
  })
}

/** The handler of plain lookups; null with tracing, whose instrumentation sees only Node's server. */
function servePlain(deps: AppDeps) {
  if (!deps.fastPath || traced) return null
  return (request: LookupRequest, reply: Reply, isGone: IsGone) => void serveLookup(deps, request, reply, isGone)
}

/** The methods that exist at an address, to tell a wrong method from a wrong address. */
function knownMethods(app: FastifyInstance, url: string): string[] {
  const path = (url.split('?', 1)[0] ?? '').replace(/(?<=.)\/$/, '')
  return (['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const).filter(
    (method) => app.findRoute({ url: path, method }) !== null,
  )
}
