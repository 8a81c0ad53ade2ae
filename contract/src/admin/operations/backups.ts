import Type from 'typebox'
import type { AdminOperationRows } from '../operation.ts'
import { Time, Count, orNull } from '../schemas.ts'

const lines = { 'application/x-ndjson': Type.String() }
const asLines =
  'With `Accept: application/x-ndjson` the answer has lines with the progress, and the result as the last line.'
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
export const backupOperations = {
  makeBackup: {
    route: 'POST /backups',
    summary: 'Make a backup now, and verify it',
    description: `The file is written on the machine of the service. It never holds the secret key: keep that apart. ${asLines} On PostgreSQL use pg_dump.`,
    role: 'owner',
    scope: 'whole service',
    status: 201,
    body: Type.Object({
      path: Type.Optional(
        Type.String({
          minLength: 1,
          description:
            'An absolute path, below VITAE_BACKUP_DIR if that is set; by default a new file in VITAE_BACKUP_DIR.',
        }),
      ),
      overwrite: Type.Optional(Type.Boolean({ description: 'Replace an older backup of that name.' })),
    }),
    response: Made,
    produces: lines,
  },
  listBackups: {
    route: 'GET /backups',
    summary: 'The scheduled backups, newest first',
    role: 'viewer',
    scope: 'whole service',
    response: Type.Object({ dir: orNull(Type.String()), backups: Type.Array(Backup) }),
  },
  verifyBackup: {
    route: 'POST /backups/:name/verify',
    summary: 'Check a scheduled backup: its file, its ledger, its audit log',
    description: `Every page of a copy of it is checked, and every index against its table, so there must be room for one more beside it. ${asLines}`,
    role: 'owner',
    scope: 'whole service',
    params: Name,
    response: Type.Object({ ok: Type.Boolean(), fault: orNull(Type.String()), ...counts }),
    produces: lines,
  },
  downloadBackup: {
    route: 'GET /backups/:name/file',
    summary: 'Download a scheduled backup',
    description: 'It holds every record. The secret key is not in it.',
    role: 'owner',
    scope: 'whole service',
    params: Name,
    produces: { 'application/octet-stream': Type.String() },
  },
} satisfies AdminOperationRows
