import type { FastifyInstance } from 'fastify'
import { Failure } from '../foundation/failure.ts'
import type { AppDeps } from './deps.ts'

/** `/metrics`, for loopback and for holders of an admin token; to all others it is not there. */
export function metricsRoutes(app: FastifyInstance, deps: AppDeps): void {
  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    if (!(await deps.isOperator(request.raw))) throw new Failure('route_not_found')
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await deps.metricsText())
  })
}
