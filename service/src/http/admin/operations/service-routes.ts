import { keepFindings } from '../../../lifecycle/doctor/finding.ts'
import type { AdminHandlers } from '../route/admin-route.ts'
import { searchAll } from '../../../operators/search.ts'
import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { Failure } from '../../../foundation/failure.ts'
import { withProgress, type Emit } from '../route/ndjson.ts'
import { isoTime } from '../../../foundation/clock.ts'

/** The running configuration, and the service's own health checks. */
export const settingHandlers = {
  readSettings: async (_call, deps) => ({ version: deps.version, settings: deps.settings, variables: deps.variables }),

  async runDoctor(_call, deps) {
    const checks = await deps.diagnose()
    await keepFindings(deps.store, checks)
    return { checks }
  },

  readWork: async (_call, deps) => ({ stopped: await deps.store.upkeep.workStopped(null) }),

  async resumeWork({ admin }, deps) {
    const resumed = await deps.store.upkeep.resumeWork({ at: deps.clock.now(), actor: admin.actor })
    deps.batches.wake()
    return { resumed }
  },
} satisfies Partial<AdminHandlers>

export const searchHandlers = {
  async searchAll({ admin, body }, deps) {
    const text = body.text.trim()
    if (text === '') return { results: [] }
    return { results: await searchAll(deps, admin, text) }
  },
} satisfies Partial<AdminHandlers>

/** Backups of the embedded engine. */
export const backupHandlers = {
  async makeBackup({ admin, body: { path = null, overwrite = false }, request, reply }, { backups }) {
    const make = async (emit: Emit) => {
      const { madeAt, durationMs, ...made } = await backups.make({ path, overwrite, actor: admin.actor }, emit)
      return { ...made, made_at: isoTime(madeAt), verified: true as const, duration_ms: durationMs }
    }
    return withProgress(request, reply, make)
  },

  listBackups: async (_call, { backups }) => ({ dir: backups.dir, backups: await backups.list() }),

  async verifyBackup({ admin, params: { name }, request, reply }, { backups, store, clock }) {
    const verify = async (emit: Emit) => {
      const checked = await backups.verify(name, emit)
      const after = { name, ok: checked.ok }
      await store.audit.recordAudit({ at: clock.now(), actor: admin.actor, action: 'store.backup_verify', after })
      return checked
    }
    return withProgress(request, reply, verify)
  },

  async downloadBackup({ admin, params: { name }, reply }, { backups, store, clock }) {
    const found = (await backups.list()).find(({ path }) => basename(path) === name)
    if (!found) throw new Failure('not_found', { detail: `There is no backup ${name}.` })
    const at = clock.now()
    await store.audit.recordAudit({ at, actor: admin.actor, action: 'store.backup_download', after: { name } })
    reply.header('Content-Disposition', `attachment; filename="${name}"`).header('Content-Length', found.size)
    return reply.type('application/octet-stream').send(createReadStream(found.path))
  },
} satisfies Partial<AdminHandlers>
