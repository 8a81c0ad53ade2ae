import type { FastifyInstance } from 'fastify'
import { Failure } from '../foundation/failure.ts'
import type { AppNeeds } from './deps.ts'

/** `/metrics`, for loopback and for holders of an admin token; to all others it is not there. */
export function metricsRoutes(app: FastifyInstance, needs: AppNeeds): void {
  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    if (!(await needs.isOperator(request.raw))) throw new Failure('route_not_found')
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await needs.metricsText())
  })
}
