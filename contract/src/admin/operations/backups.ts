import Type from 'typebox'
import type { AdminOperationRows } from '../operation.ts'
import { Time, Count, orNull } from '../schemas.ts'

const lines = { 'application/x-ndjson': Type.String() }
const asLines =
  'With `Accept: application/x-ndjson` the response is a stream of progress lines, and the last line is the result.'
const file = { path: Type.String(), size: Count, made_at: Time }
const Backup = Type.Object(file)
const counts = {
  entries: Type.Integer({ minimum: 0, description: 'The number of ledger entries in the backup.' }),
  calls: Count,
  entities: Count,
  versions: Count,
  payloads: Count,
  suppressions: Count,
}
const Name = Type.Object({ name: Type.String({ description: 'The file name of the backup in VITAE_BACKUP_DIR.' }) })
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
    description: `The file is written on the machine of the service. The backup never contains the secret key: store the key separately. ${asLines} On PostgreSQL use pg_dump.`,
    role: 'owner',
    scope: 'whole service',
    status: 201,
    body: Type.Object({
      path: Type.Optional(
        Type.String({
          minLength: 1,
          description:
            'The absolute path of the new file. If VITAE_BACKUP_DIR is set, the path must be inside it. If left out, the backup is a new file in VITAE_BACKUP_DIR.',
        }),
      ),
      overwrite: Type.Optional(Type.Boolean({ description: 'True: replace an existing backup at this path.' })),
    }),
    response: Made,
    produces: lines,
  },
  listBackups: {
    route: 'GET /backups',
    summary: 'List the scheduled backups, newest first',
    role: 'viewer',
    scope: 'whole service',
    response: Type.Object({ dir: orNull(Type.String()), backups: Type.Array(Backup) }),
  },
  verifyBackup: {
    route: 'POST /backups/:name/verify',
    summary: 'Check a scheduled backup: its file, its ledger, its audit log',
    description: `Checks every page of a copy of the backup, and every index against its table. The disk needs room for this copy. ${asLines}`,
    role: 'owner',
    scope: 'whole service',
    params: Name,
    response: Type.Object({ ok: Type.Boolean(), fault: orNull(Type.String()), ...counts }),
    produces: lines,
  },
  downloadBackup: {
    route: 'GET /backups/:name/file',
    summary: 'Download a scheduled backup',
    description: 'The backup contains every record. It does not contain the secret key.',
    role: 'owner',
    scope: 'whole service',
    params: Name,
    produces: { 'application/octet-stream': Type.String() },
  },
} satisfies AdminOperationRows
