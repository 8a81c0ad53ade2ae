import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Failure } from '../foundation/failure.ts'
import { isLoopbackName } from '../foundation/networks.ts'
import { byToken } from './admin/access.ts'
import { refuseToken } from './admin/sign-in/refused-token.ts'
import type { AppDeps } from './deps.ts'

/** `/healthz` (the process is alive) and `/readyz` (it may be sent traffic). Details are for operators only. */
export function healthRoutes(app: FastifyInstance, deps: AppDeps): void {
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async (request, reply) => {
    const readiness = await deps.readiness()
    const body = { status: readiness.ready ? 'ready' : 'not_ready' }
    const detailed = (await isOperator(deps, request)) ? { ...body, checks: readiness.checks } : body
    return reply.code(readiness.ready ? 200 : 503).send(detailed)
  })
}

/** `/metrics`, for loopback and for holders of an admin token; everybody else gets 404. */
export function metricsRoutes(app: FastifyInstance, deps: AppDeps): void {
  app.get('/metrics', async (request, reply) => {
    if (!(await isOperator(deps, request))) throw new Failure('route_not_found')
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await deps.metricsText())
  })
}

const proxyHeaders = ['forwarded', 'via', 'x-real-ip', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto']

/**
 * Someone on this machine, or the holder of an admin token. A proxy on this machine also connects from loopback, and so do pages
 * whose name was pointed here: so no header of a proxy may be there, and the host that was asked for must be this machine too.
 */
async function isOperator(deps: AppDeps, request: FastifyRequest): Promise<boolean> {
  const { headers, socket, httpVersion } = request.raw
  const direct = proxyHeaders.every((name) => headers[name] === undefined) && httpVersion !== '1.0'
  const local = /^(::1|(::ffff:)?127\.)/.test(socket.remoteAddress ?? '') && isLoopbackName(headers.host ?? '')
  if (direct && local) return true
  if (headers.authorization === undefined) return false
  if ((await byToken(deps.admin, request.raw)) !== null) return true
  await refuseToken(deps, request, 'bearer')
  return false
}
