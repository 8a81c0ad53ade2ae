import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { Failure } from '../foundation/failure.ts'
import { newRequestId } from '../foundation/request-id.ts'
import { traced } from '../foundation/tracing.ts'
import { adminRoutes, guardAdmin } from './admin/admin-routes.ts'
import { assetRoutes, consoleRoutes, landingRoute } from './console-routes.ts'
import type { AppDeps } from './deps.ts'
import { failureAnswer, noteFailure } from './failure-response.ts'
import { fromFastify } from './fastify-errors.ts'
import { healthRoutes } from './health-routes.ts'
import { answerBrokenRequest, createLimitedServer } from './server.ts'
import { metricsRoutes } from './metrics-routes.ts'
import type { LookupRequest, Reply } from './lookup/lookup-request.ts'
import { lookupRoutes, maxUrlLength } from './lookup/lookup-routes.ts'
import { referenceRoutes } from './reference-routes.ts'
import { serveLookup } from './lookup/serve-lookup.ts'

/** Which doors: for everybody on one port, or those of callers and of operators apart (`VITAE_ADMIN_PORT`). */
export type Surface = 'both' | 'callers' | 'operators'

/** Builds the doors of the service. Fastify is the frame; it lives only in this room. */
export async function buildApp(deps: AppDeps, surface: Surface = 'both'): Promise<FastifyInstance> {
  const logger: FastifyBaseLogger = deps.log
  const app = Fastify({
    serverFactory: (handler) => createLimitedServer(handler, fastPath(deps, surface)),
    clientErrorHandler: answerBrokenRequest,
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: false,
    // The id of a record may be a whole URL, percent-encoded.
    routerOptions: { maxParamLength: 4_096 },
    genReqId: () => newRequestId(),
    trustProxy: deps.trustProxy ?? false,
    bodyLimit: 1_048_576,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'X-Request-Id': request.id,
      'Cache-Control': 'private, no-store',
      Vary: 'ApiKey',
      'X-Content-Type-Options': 'nosniff',
    })
    if (request.url.length > maxUrlLength) throw new Failure('uri_too_long')
  })
  guardAdmin(app, deps)
  app.setErrorHandler((error, request, reply) => {
    const failure = fromFastify(error)
    noteFailure(deps.log, failure, request.id)
    const answer = failureAnswer(failure, request.id)
    // As bytes, because Fastify adds a charset to texts, and the type of a problem has none.
    return reply.code(answer.status).headers(answer.headers).send(Buffer.from(answer.body))
  })
  app.setNotFoundHandler((request) => {
    const methods = knownMethods(app, request.url)
    if (methods.length > 0) throw new Failure('method_not_allowed', { detail: `Use ${methods.join(' or ')} here.` })
    throw new Failure('route_not_found', { detail: 'There is nothing at this address. /docs describes what there is.' })
  })
  app.addHook('onSend', async (request, reply) => {
    if (reply.statusCode === 405) reply.header('Allow', knownMethods(app, request.url).join(', '))
  })
  healthRoutes(app, deps)
  assetRoutes(app)
  if (surface !== 'operators') {
    lookupRoutes(app, deps)
    landingRoute(app)
    referenceRoutes(app, deps)
  }
  if (surface !== 'callers') {
    metricsRoutes(app, deps)
    consoleRoutes(app)
    await app.register(async (scope) => adminRoutes(scope, deps))
  }
  return app
}

/**
 * Plain lookups have a way of their own, but where a proxy says who calls, as whose word counts is Fastify's business, and
 * where calls are traced, as instrumentation sees only Node's server.
 */
function fastPath(deps: AppDeps, surface: Surface) {
  if (surface === 'operators' || deps.trustProxy || traced) return null
  return (request: LookupRequest, reply: Reply) => void serveLookup(deps, request, reply)
}

/** The methods that do exist at an address, to tell a wrong method from a wrong address. */
function knownMethods(app: FastifyInstance, url: string): string[] {
  const path = url.split('?', 1)[0] ?? ''
  return (['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const).filter(
    (method) => app.findRoute({ url: path, method }) !== null,
  )
}
