import type { FastifyInstance } from 'fastify'
import { Failure } from '../foundation/failure.ts'
import type { AppDeps } from './deps.ts'

/** `/healthz` (the process is alive) and `/readyz` (it may be sent traffic). Details are for operators only. */
export function healthRoutes(app: FastifyInstance, deps: AppDeps): void {
  app.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'ok' }))
  app.get('/readyz', { schema: { hide: true } }, async (request, reply) => {
    const readiness = await deps.readiness()
    const body = { status: readiness.ready ? 'ready' : 'not_ready' }
    const detailed = (await deps.isOperator(request.raw)) ? { ...body, checks: readiness.checks } : body
    return reply.code(readiness.ready ? 200 : 503).send(detailed)
  })
}

/** `/metrics`, for loopback and for holders of an admin token; everybody else gets 404. */
export function metricsRoutes(app: FastifyInstance, deps: AppDeps): void {
  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    if (!(await deps.isOperator(request.raw))) throw new Failure('route_not_found')
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await deps.metricsText())
  })
}
