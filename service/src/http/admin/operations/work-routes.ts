import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'

const tag = 'backups'

/** Batches, watches and webhooks of a restored store wait until somebody lets them go on. */
export function workRoutes(app: FastifyInstance, deps: AppDeps): void {
  adminRoute(app, {
    method: 'GET',
    path: '/work',
    operationId: 'readWork',
    tag,
    summary: 'Whether batches, watches and webhooks wait, because the store was restored',
    role: 'viewer',
    response: Type.Object({ stopped: Type.Boolean() }),
    handle: async () => ({ stopped: await deps.store.workStopped(null) }),
  })
  adminRoute(app, {
    method: 'POST',
    path: '/work/resume',
    operationId: 'resumeWork',
    tag,
    summary: 'Let the batches, watches and webhooks of a restored store go on',
    description:
      'Do it when the service that the backup is of has ended: two that look at the same watches pay twice, and receivers hear of the same events twice.',
    role: 'owner',
    response: Type.Object({ resumed: Type.Boolean({ description: 'False where nothing was stopped.' }) }),
    async handle({ admin }) {
      const resumed = await deps.store.resumeWork({ at: deps.clock.now(), actor: admin.actor })
      deps.batches.wake()
      return { resumed }
    },
  })
}
