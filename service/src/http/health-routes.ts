import type { FastifyInstance } from 'fastify'
import type { AppDeps } from './deps.ts'

/** Is the process alive; may it be sent traffic. Details are for the operator only. */
export function healthRoutes(app: FastifyInstance, deps: AppDeps): void {
  app.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'ok' }))
  app.get('/readyz', { schema: { hide: true } }, async (request, reply) => {
    const readiness = await deps.readiness()
    const body = { status: readiness.ready ? 'ready' : 'not_ready' }
    const detailed = (await deps.isOperator(request.raw)) ? { ...body, checks: readiness.checks } : body
    return reply.code(readiness.ready ? 200 : 503).send(detailed)
  })
}
