import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import type { AppDeps } from '../../deps.ts'
import type { BackupFile } from '../../../lifecycle/backup/backups.ts'
import { Failure } from '../../../foundation/failure.ts'
import { adminRoute } from '../admin-route.ts'
import { withProgress, type Emit } from '../privacy/ndjson.ts'
import { Count, orNull, Time } from '../schemas.ts'
import { isoTime } from '../../../foundation/clock.ts'

const tag = 'backups'
const lines = { 'application/x-ndjson': Type.String() }
const asLines =
  'With `Accept: application/x-ndjson` the answer is a line now and then that says how far it is, and the result as the last line.'
const file = { path: Type.String(), size: Count, made_at: Time }
const Backup = Type.Object(file)
const counts = {
  entries: Type.Integer({ minimum: 0, description: 'Ledger entries.' }),
  calls: Count,
  entities: Count,
  versions: Count,
  payloads: Count,
  suppressions: Count,
}
const Name = Type.Object({ name: Type.String({ description: 'The name of the file in VITAE_BACKUP_DIR.' }) })
const Made = Type.Object({
  ...file,
  ...counts,
  verified: Type.Literal(true),
  duration_ms: Count,
})

/** Backups of the embedded engine. */
export function backupRoutes(app: FastifyInstance, deps: AppDeps): void {
  makeBackupRoute(app, deps)
  listBackupsRoute(app, deps)
  verifyBackupRoute(app, deps)
  downloadBackupRoute(app, deps)
}

const makeBackupRoute = adminRoute(tag, ({ backups }: AppDeps) => ({
  route: 'POST /backups',
  operationId: 'makeBackup',
  summary: 'Make a backup now, and verify it',
  description: `The file is written on the machine of the service. It never holds the secret key: keep that apart. ${asLines} On PostgreSQL use pg_dump.`,
  role: 'owner',
  status: 201,
  body: Type.Object({
    path: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Absolute, and below VITAE_BACKUP_DIR where that is set; by default one more in it.',
      }),
    ),
    overwrite: Type.Optional(Type.Boolean({ description: 'Replace an older backup of that name.' })),
  }),
  response: Made,
  produces: lines,
  async handle({ admin, body: { path = null, overwrite = false }, request, reply }) {
    const make = async (emit: Emit) => {
      const { madeAt, durationMs, ...made } = await backups.make({ path, overwrite, actor: admin.actor }, emit)
      return { ...made, made_at: isoTime(madeAt), verified: true as const, duration_ms: durationMs }
    }
    return withProgress(request, reply, make)
  },
}))

const listBackupsRoute = adminRoute(tag, ({ backups }: AppDeps) => ({
  route: 'GET /backups',
  operationId: 'listBackups',
  summary: 'The scheduled backups, newest first',
  role: 'viewer',
  response: Type.Object({ dir: orNull(Type.String()), backups: Type.Array(Backup) }),
  handle: async () => ({ dir: backups.dir, backups: (await backups.list()).map(backupView) }),
}))

const verifyBackupRoute = adminRoute(tag, ({ backups, store, clock }: AppDeps) => ({
  route: 'POST /backups/:name/verify',
  operationId: 'verifyBackup',
  summary: 'Check a scheduled backup: its file, its ledger, its audit log',
  description: `Every page of a copy of it is checked, and every index against its table, so there must be room for one more beside it. ${asLines}`,
  role: 'owner',
  params: Name,
  response: Type.Object({ ok: Type.Boolean(), fault: orNull(Type.String()), ...counts }),
  produces: lines,
  async handle({ admin, params: { name }, request, reply }) {
    const verify = async (emit: Emit) => {
      const checked = await backups.verify(name, emit)
      const after = { name, ok: checked.ok }
      await store.recordAudit({ at: clock.now(), actor: admin.actor, action: 'store.backup_verify', after })
      return checked
    }
    return withProgress(request, reply, verify)
  },
}))

const downloadBackupRoute = adminRoute(tag, ({ backups, store, clock }: AppDeps) => ({
  route: 'GET /backups/:name/file',
  operationId: 'downloadBackup',
  summary: 'Download a scheduled backup',
  description: 'It holds every record. The secret key is not in it.',
  role: 'owner',
  params: Name,
  produces: { 'application/octet-stream': Type.String() },
  async handle({ admin, params: { name }, reply }) {
    const found = (await backups.list()).find(({ path }) => basename(path) === name)
    if (!found) throw new Failure('not_found', { detail: `There is no backup ${name}.` })
    const at = clock.now()
    await store.recordAudit({ at, actor: admin.actor, action: 'store.backup_download', after: { name } })
    reply.header('Content-Disposition', `attachment; filename="${name}"`).header('Content-Length', found.size)
    return reply.type('application/octet-stream').send(createReadStream(found.path))
  },
}))

function backupView({ path, size, madeAt }: BackupFile): Static<typeof Backup> {
  return { path, size, made_at: isoTime(madeAt) }
}
