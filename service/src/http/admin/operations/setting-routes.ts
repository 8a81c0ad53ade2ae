import { keepFindings } from '../../../lifecycle/doctor/finding.ts'
import type { AdminHandlers } from '../route/admin-route.ts'

/** The running configuration, and the service's own health checks. */
export const settingHandlers = {
  readSettings: async (_call, deps) => ({ version: deps.version, settings: deps.settings, variables: deps.variables }),

  async runDoctor(_call, deps) {
    const checks = await deps.diagnose()
    await keepFindings(deps.store, checks)
    return { checks }
  },

  readWork: async (_call, deps) => ({ stopped: await deps.store.workStopped(null) }),

  async resumeWork({ admin }, deps) {
    const resumed = await deps.store.resumeWork({ at: deps.clock.now(), actor: admin.actor })
    deps.batches.wake()
    return { resumed }
  },
} satisfies Partial<AdminHandlers>
