import Type from 'typebox'
import type { AdminOperationRows } from '../operation.ts'
import { Time, KindName, Count, Cursor, pageQuery, spanQuery, orNull } from '../schemas.ts'

const ActorName = orNull(
  Type.String({ description: 'The label of the admin token that acted; null if the token has no label.' }),
)
const Entry = Type.Object({
  id: Type.Integer(),
  at: Time,
  actor: Type.String(),
  action: Type.String(),
  subject: orNull(Type.String()),
  actor_name: ActorName,
  record: orNull(
    Type.Object(
      { kind: KindName, key: Type.String(), name: orNull(Type.String()) },
      { description: 'The current record of the person or company that the entry is about; null after an erasure.' },
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
    summary: 'List the entries of the audit log, newest first',
    role: 'viewer',
    scope: 'whole service',
    query: Type.Object({
      ...pageQuery,
      action: Type.Optional(Type.String()),
      actor: Type.Optional(Type.String()),
      subject: Type.Optional(Type.String()),
      project: Type.Optional(
        Type.String({
          description:
            'Only entries about this project, its environments, its keys and everything that belongs to them.',
        }),
      ),
      kind: Type.Optional(KindName),
      record: Type.Optional(
        Type.String({
          description:
            'Only entries of operators who read or changed this record. Send its member_urn, company_id, slug or URL.',
        }),
      ),
      ...spanQuery,
    }),
    response: Type.Object({ entries: Type.Array(Entry), next_cursor: Cursor }),
  },
  listAuditChoices: {
    route: 'GET /audit/choices',
    summary: 'List the actions of the audit log, and the people and tokens that acted, to filter it',
    description: 'At most 500 of each.',
    role: 'viewer',
    scope: 'whole service',
    response: Type.Object({
      actions: Type.Array(Type.String()),
      actors: Type.Array(Type.Object({ actor: Type.String(), actor_name: ActorName })),
    }),
  },
  verifyAudit: {
    route: 'GET /audit/verify',
    summary: 'Check that no entry of the audit log was changed or removed',
    role: 'viewer',
    scope: 'whole service',
    response: Type.Object({
      ok: Type.Boolean(),
      checked: Count,
      broken_at: orNull(
        Type.Integer({
          description:
            'The id of the first entry whose hash does not continue the hash of the entry before it; null if the log is intact.',
        }),
      ),
    }),
  },
} satisfies AdminOperationRows
