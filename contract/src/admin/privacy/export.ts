import Type from 'typebox'
import { anyRecord, RefParams } from '../records/records.ts'
import type { AdminOperation, AdminOperationRows } from '../operation.ts'
import { Time, KindName, Count, orNull } from '../schemas.ts'

const SubjectExport = Type.Object({
  exported_at: Time,
  kind: KindName,
  key: Type.String(),
  derived: Type.Boolean(),
  first_stored_at: Time,
  last_used_at: orNull(Time),
  aliases: Type.Array(Type.Object({ type: Type.String(), value: Type.String(), seen_at: Time })),
  former_aliases: Type.Array(Type.Object({ type: Type.String(), value: Type.String(), until: Time })),
  versions: Type.Array(
    Type.Object({
      id: Type.Integer(),
      provider: Type.String(),
      fetched_at: Time,
      source_updated_at: orNull(Time),
      thin: Type.Boolean(),
      record: anyRecord,
    }),
  ),
  sources: Type.Array(
    Type.Object({
      fetch_id: Type.Integer(),
      provider: Type.String(),
      at: Time,
      outcome: Type.String(),
      redacted: Type.Boolean(),
      payload: Type.Unknown({
        description: 'The payload as JSON, or in base64 if it is not JSON; null if it is no longer kept.',
      }),
    }),
  ),
  received_by: Type.Array(
    Type.Object({ project: Type.String(), environment: Type.String(), calls: Count, first_at: Time, last_at: Time }),
  ),
  calls: Type.Array(
    Type.Object({
      request_id: Type.String(),
      at: Time,
      project: Type.String(),
      environment: Type.String(),
      status: Type.Integer(),
      source: orNull(Type.String()),
      version_id: orNull(Type.Integer()),
    }),
  ),
})

const exportRow = {
  summary: 'Export everything that is stored about one person or company, and who received it',
  role: 'operator',
  scope: 'whole service',
  params: RefParams,
  query: Type.Object({ format: Type.Optional(Type.Enum(['json', 'html'])) }),
  response: SubjectExport,
  produces: { 'text/html': Type.String() },
} satisfies Partial<AdminOperation>

/** Exports all data about one person or company, to answer an access request. */
export const exportOperations = {
  exportPerson: { route: 'GET /records/people/:ref/export', ...exportRow },
  exportCompany: { route: 'GET /records/companies/:ref/export', ...exportRow },
} satisfies AdminOperationRows
