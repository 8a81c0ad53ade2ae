import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import type { AppDeps } from '../../deps.ts'
import type { BackupFile } from '../../../lifecycle/backup/backups.ts'
import { adminRoute } from '../admin-route.ts'
import { Count, iso, orNull, Time } from '../schemas.ts'

const tag = 'backups'
const file = { path: Type.String(), size: Count, made_at: Time }
const Backup = Type.Object(file)
const Made = Type.Object({
  ...file,
  entries: Type.Integer({ minimum: 0, description: 'Ledger entries.' }),
  calls: Count,
  entities: Count,
  versions: Count,
  payloads: Count,
  suppressions: Count,
  verified: Type.Literal(true),
  duration_ms: Count,
})

/** Backups of the embedded engine. */
export function backupRoutes(app: FastifyInstance, { backups }: Pick<AppDeps, 'backups'>): void {
  adminRoute(app, {
    method: 'POST',
    path: '/backups',
    operationId: 'makeBackup',
    tag,
    summary: 'Make a backup now, and verify it',
    description:
      'The file is written on the machine of the service. It never holds the secret key: keep that apart. On PostgreSQL use pg_dump.',
    role: 'owner',
    status: 201,
    body: Type.Object({
      path: Type.Optional(
        Type.String({ minLength: 1, description: 'Absolute; by default one more in VITAE_BACKUP_DIR.' }),
      ),
      overwrite: Type.Optional(Type.Boolean({ description: 'Replace an older backup of that name.' })),
    }),
    response: Made,
    async handle({ admin, body: { path = null, overwrite = false } }) {
      const { madeAt, durationMs, ...made } = await backups.make({ path, overwrite, actor: admin.actor })
      return { ...made, made_at: iso(madeAt), verified: true as const, duration_ms: durationMs }
    },
  })
  adminRoute(app, {
    method: 'GET',
    path: '/backups',
    operationId: 'listBackups',
    tag,
    summary: 'The scheduled backups, newest first',
    role: 'viewer',
    response: Type.Object({ dir: orNull(Type.String()), backups: Type.Array(Backup) }),
    handle: async () => ({ dir: backups.dir, backups: (await backups.list()).map(backupView) }),
  })
}

function backupView({ path, size, madeAt }: BackupFile): Static<typeof Backup> {
  return { path, size, made_at: iso(madeAt) }
}
