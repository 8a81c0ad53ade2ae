import Type from 'typebox'
import { RecordView, RefParams } from './records.ts'
import type { AdminOperation, AdminOperationRows } from '../operation.ts'
import { KindName, Count, Cursor, Moment, orNull } from '../schemas.ts'

/** Twice the size of a request of `vitae records import`. */
const importBytes = 8 * 1024 * 1024
const Body = Type.Object({
  provider: Type.Optional(Type.String()),
  since: Type.Optional(Moment),
  outdated: Type.Optional(Type.Boolean({ description: 'Only rebuild records that an older mapping version made.' })),
  cursor: Type.Optional(
    Type.String({
      description:
        'The position in the archive to continue from. 0 starts from the beginning. If left out, the position at which the last call ended.',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
})
const Progress = Type.Object({
  done: Type.Boolean(),
  next_cursor: Cursor,
  resumed: Type.Boolean({ description: 'True if this call continued a rebuild that had stopped earlier.' }),
  seen: Count,
  changed: Count,
  filled: Type.Record(Type.String(), Count, {
    description: 'Fields that were empty and now have a value. For each field, the number of records.',
  }),
  failed: Count,
  total_estimate: orNull(
    Type.Integer({ description: 'The estimated number of versions in the store. Only the first call returns it.' }),
  ),
})

const refreshRow = {
  summary: 'Fetch a record now; nobody is billed',
  role: 'operator',
  scope: 'whole service',
  params: RefParams,
  response: RecordView,
} satisfies Partial<AdminOperation>

/** Updates and adds records: refresh, reproject, import. */
export const recordChangeOperations = {
  refreshPersonRecord: { route: 'POST /records/people/:ref/refresh', ...refreshRow },
  refreshCompanyRecord: { route: 'POST /records/companies/:ref/refresh', ...refreshRow },
  importRecords: {
    route: 'POST /records/import',
    summary: 'Import lines of a dataset, in the record format of this API or as payloads of a provider',
    description:
      'Bad lines are reported by their number and skipped. Repeating an import changes nothing. A record that is older than the stored one goes into its history and is not served. Without `fetched_at` or `fetched_at_field` the payload itself must contain the time of its fetch, or the import is refused.',
    role: 'operator',
    scope: 'whole service',
    bodyLimit: importBytes,
    body: Type.Object({
      kind: Type.Optional(orNull(KindName)),
      provider: Type.Optional(
        orNull(
          Type.String({
            description:
              'The name of the provider that made these payloads; null = the lines have the record format of this API.',
          }),
        ),
      ),
      fetched_at: Type.Optional(
        orNull(
          Type.String({
            description: 'The time at which the data was fetched: a date, an ISO 8601 time, or how long ago.',
          }),
        ),
      ),
      fetched_at_field: Type.Optional(
        orNull(
          Type.String({
            minLength: 1,
            maxLength: 200,
            description:
              'The dotted path of the field in each line that holds the time of its fetch. If that field is empty, `fetched_at` applies.',
          }),
        ),
      ),
      lines: Type.Array(Type.String(), { maxItems: 500, description: 'One JSON text per record.' }),
    }),
    response: Type.Object({
      saved: Count,
      older: Type.Integer({
        minimum: 0,
        description: 'The number of lines that are older than the stored record. They go into its history.',
      }),
      suppressed: Count,
      unchanged: Count,
      errors: Type.Array(Type.Object({ line: Type.Integer(), reason: Type.String() })),
      unread: Type.Array(Type.Object({ line: Type.Integer(), field: Type.String() }), {
        description: 'Fields with an unreadable value. Their records are imported without these fields.',
      }),
    }),
  },
  /** Rebuilds records from the raw archive, one batch per call. Progress is stored, so a later call continues. */
  reprojectRecords: {
    route: 'POST /records/reproject',
    summary: 'Rebuild the next batch of records from the raw archive',
    description:
      'Repeat the call until `done` is true. An interrupted rebuild continues where it stopped. No provider is asked.',
    role: 'operator',
    scope: 'whole service',
    body: Body,
    response: Progress,
  },
} satisfies AdminOperationRows
