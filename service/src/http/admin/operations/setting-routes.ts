import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { keepFindings } from '../../../lifecycle/doctor/finding.ts'

/** The service as it runs, and what it thinks of its own health. */
export function settingRoutes(app: FastifyInstance, deps: AppDeps): void {
  readSettingsRoute(app, deps)
  runDoctorRoute(app, deps)
}

const readSettingsRoute = adminRoute('settings', (deps: AppDeps) => ({
  route: 'GET /settings',
  operationId: 'readSettings',
  summary: 'The configuration as it is running; secrets are masked',
  role: 'viewer',
  response: Type.Object({
    version: Type.String(),
    settings: Type.Record(Type.String(), Type.Unknown()),
    variables: Type.Array(
      Type.Object({ name: Type.String(), value: Type.Union([Type.String(), Type.Null()]), source: Type.String() }),
      { description: 'Each variable, and where its value came from.' },
    ),
  }),
  handle: async () => ({ version: deps.version, settings: deps.settings, variables: deps.variables }),
}))

const runDoctorRoute = adminRoute('settings', (deps: AppDeps) => ({
  route: 'GET /doctor',
  operationId: 'runDoctor',
  summary: 'Look for what is wrong, and say how to fix it',
  description:
    'Asks each provider of the chain one cheap question, which counts in its budget, and reads the pages of an embedded store for up to 15 seconds.',
  role: 'operator',
  response: Type.Object({
    checks: Type.Array(
      Type.Object({
        name: Type.String(),
        state: Type.Enum(['ok', 'warning', 'error']),
        detail: Type.String(),
        mend: Type.Union([Type.String(), Type.Null()]),
      }),
    ),
  }),
  async handle() {
    const checks = await deps.diagnose()
    await keepFindings(deps.store, checks)
    return { checks }
  },
}))

const tag = 'backups'

/** Batches, watches and webhooks of a restored store wait until somebody lets them go on. */
export function workRoutes(app: FastifyInstance, deps: AppDeps): void {
  readWorkRoute(app, deps)
  resumeWorkRoute(app, deps)
}

const readWorkRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'GET /work',
  operationId: 'readWork',
  summary: 'Whether batches, watches and webhooks wait, because the store was restored',
  role: 'viewer',
  response: Type.Object({ stopped: Type.Boolean() }),
  handle: async () => ({ stopped: await deps.store.workStopped(null) }),
}))

const resumeWorkRoute = adminRoute(tag, (deps: AppDeps) => ({
  route: 'POST /work/resume',
  operationId: 'resumeWork',
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
}))
