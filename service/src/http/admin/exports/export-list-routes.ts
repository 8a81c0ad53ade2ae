import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { dayMs, isoTime } from '../../../foundation/clock.ts'
import { Failure } from '../../../foundation/failure.ts'
import type { Admin } from '../../../operators/deps.ts'
import type { StoredExport } from '../../../lifecycle/exports/export-operations.ts'
import type { AppDeps } from '../../exchange/deps.ts'
import type { AdminHandlers } from '../route/admin-route.ts'
import { exportLists } from './export-lists.ts'
import { readAsk } from './export-pages.ts'

const unzip = promisify(gunzip)

/** Whole lists as files: begun, shown, ended and downloaded by the same admin. */
export const exportListHandlers = {
  async beginExport({ admin, body: { list, ask = {} } }, deps) {
    await readAsk(deps, admin, list, ask)
    const at = deps.clock.now()
    const made = await deps.store.exports.beginExport({
      id: `exp_${randomBytes(12).toString('hex')}`,
      actor: admin.actor,
      role: admin.role,
      project: admin.project,
      list,
      ask: JSON.stringify(ask),
      names_records: exportLists[list].namesRecords ? 1 : 0,
      at,
      expiresAt: at + dayMs,
      filters: Object.keys(ask),
    })
    deps.exports.wake()
    return exportView(made)
  },

  async listExports({ admin }, { store }) {
    const own = await store.exports.listExports({ actor: admin.actor })
    return { exports: own.filter((one) => isOf(admin, one)).map(exportView) }
  },

  showExport: async ({ admin, params }, deps) => exportView(await ownExport(deps, admin, params.id)),

  async cancelExport({ admin, params: { id } }, deps) {
    await ownExport(deps, admin, id)
    await deps.store.exports.cancelExport({ id, actor: admin.actor, at: deps.clock.now() })
    return exportView(await ownExport(deps, admin, id))
  },

  async downloadExport({ admin, params: { id }, reply }, deps) {
    const own = await ownExport(deps, admin, id)
    if (own.state !== 'ready')
      throw new Failure('conflict', { detail: own.detail ?? 'The file is not ready yet. Ask for it later.' })
    const at = deps.clock.now()
    await deps.store.audit.recordAudit({ at, actor: admin.actor, action: 'export.download', subject: id })
    reply.header('Content-Disposition', `attachment; filename="${fileName(own)}"`)
    return reply.type('text/csv; charset=utf-8').send(Readable.from(partsOf(deps, id), { objectMode: false }))
  },
} satisfies Partial<AdminHandlers>

/** Reads one part at a time, so the size of the file does not matter. */
async function* partsOf({ store }: AppDeps, id: string): AsyncGenerator<Buffer> {
  for (let number = 1; ; number++) {
    const body = await store.exports.readExportPart({ id, number })
    if (body === null) return
    yield await unzip(body)
  }
}

function fileName({ list, created_at: at }: StoredExport): string {
  const name = list
    .replace(/^(?:list|search|read)/, '')
    .replaceAll(/(?!^)[A-Z]/g, '-$&')
    .toLowerCase()
  return `${name}-${isoTime(at).slice(0, 10)}.csv`
}

function isOf({ actor, project, role }: Admin, own: StoredExport): boolean {
  return own.actor === actor && own.project === project && own.role === role
}

async function ownExport({ store, clock }: AppDeps, admin: Admin, id: string): Promise<StoredExport> {
  const own = await store.exports.showExport({ id })
  if (own && isOf(admin, own) && own.expires_at > clock.now()) return own
  throw new Failure('not_found', { detail: `You have no export ${id}. Files are removed after a day.` })
}

function exportView(own: StoredExport) {
  const { id, list, state, detail, row_count: rows, byte_count: bytes, created_at, expires_at } = own
  return { id, list: list as keyof typeof exportLists, state, rows, bytes, detail, created_at, expires_at }
}
