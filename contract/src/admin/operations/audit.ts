import Type from 'typebox'
import type { AdminOperationRows } from '../operation.ts'
import { Time, KindName, Count, Cursor, pageQuery, spanQuery, orNull } from '../schemas.ts'

const Entry = Type.Object({
  id: Type.Integer(),
  at: Time,
  actor: Type.String(),
  action: Type.String(),
  subject: orNull(Type.String()),
  actor_name: orNull(Type.String({ description: 'The label of the token; null if it has no label.' })),
  record: orNull(
    Type.Object(
      { kind: KindName, key: Type.String(), name: orNull(Type.String()) },
      { description: 'The record of the subject, as stored now; null after an erasure.' },
    ),
  ),
  reason: orNull(Type.String()),
  before: Type.Unknown(),
  after: Type.Unknown(),
})

/** The audit log: every change and every read of a record. */
export const auditOperations = {
  listAudit: {
    route: 'GET /audit',
    summary: 'The audit log, newest first',
    role: 'viewer',
    scope: 'whole service',
    query: Type.Object({
      ...pageQuery,
      action: Type.Optional(Type.String()),
      actor: Type.Optional(Type.String()),
      subject: Type.Optional(Type.String()),
      project: Type.Optional(
        Type.String({
          description: 'What was done to this project, its environments, keys and all that belongs to them.',
        }),
      ),
      kind: Type.Optional(KindName),
      record: Type.Optional(
        Type.String({
          description: 'Entries of operators that read or changed this record: a member_urn, company_id, slug or URL.',
        }),
      ),
      ...spanQuery,
    }),
    response: Type.Object({ entries: Type.Array(Entry), next_cursor: Cursor }),
  },
  verifyAudit: {
    route: 'GET /audit/verify',
    summary: 'Check that no entry of the audit log was changed or removed',
    role: 'viewer',
    scope: 'whole service',
    response: Type.Object({
      ok: Type.Boolean(),
      checked: Count,
      broken_at: orNull(Type.Integer({ description: 'The first entry that does not follow from the one before it.' })),
    }),
  },
} satisfies AdminOperationRows
