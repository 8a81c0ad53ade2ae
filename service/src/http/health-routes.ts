import { healthOperations, routeParts } from '@vitae/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '../foundation/failure.ts'
import { isLoopbackName } from '../foundation/networks.ts'
import { byToken } from './admin/route/access.ts'
import { refuseToken } from './admin/sign-in/refused-token.ts'
import type { AppDeps } from './exchange/deps.ts'

type Probe = (request: FastifyRequest, reply: FastifyReply) => Promise<object>

/** Liveness and readiness probes. Only operators see details. */
export function healthRoutes(app: FastifyInstance, deps: AppDeps): void {
  const probes: Record<keyof typeof healthOperations, Probe> = {
    getHealth: async () => ({ status: 'ok' }),
    async getReadiness(request, reply) {
      const { ready, checks } = await deps.readiness()
      reply.code(ready ? 200 : 503)
      const body = { status: ready ? 'ready' : 'not_ready' }
      return (await isOperator(deps, request)) ? { ...body, checks } : body
    },
  }
  for (const id of Object.keys(healthOperations) as (keyof typeof healthOperations)[])
    app.route({ ...routeParts(healthOperations[id].route), handler: probes[id] })
}

/** Serves `/metrics` to loopback and holders of an admin token; others get 404. */
export function metricsRoutes(app: FastifyInstance, deps: AppDeps): void {
  app.get('/metrics', async (request, reply) => {
    if (!(await isOperator(deps, request))) throw new Failure('route_not_found')
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await deps.metricsText())
  })
}

const proxyHeaders = ['forwarded', 'via', 'x-real-ip', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto']

/**
 * Whether the request comes from this machine or has an admin token. Local proxies and pages with DNS rebinding also
 * connect from loopback: so proxy headers must be absent, and Host must name this machine.
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
