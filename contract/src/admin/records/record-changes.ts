import Type from 'typebox'
import { RecordView, RefParams } from './records.ts'
import type { AdminOperation, AdminOperationRows } from '../operation.ts'
import { KindName, Count, Cursor, Moment, orNull } from '../schemas.ts'

/** Twice the size of a request of `vitae records import`. */
const importBytes = 8 * 1024 * 1024
const Body = Type.Object({
  provider: Type.Optional(Type.String()),
  since: Type.Optional(Moment),
  outdated: Type.Optional(Type.Boolean({ description: 'Only records that an older mapping made.' })),
  cursor: Type.Optional(
    Type.String({
      description:
        'The position to continue from; 0 starts from the beginning. Default: the position at which the last call ended.',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
})
const Progress = Type.Object({
  done: Type.Boolean(),
  next_cursor: Cursor,
  resumed: Type.Boolean({ description: 'True if the call continued an earlier one that had stopped.' }),
  seen: Count,
  changed: Count,
  filled: Type.Record(Type.String(), Count, { description: 'Fields that were empty, and in how many records.' }),
  failed: Count,
  total_estimate: orNull(
    Type.Integer({ description: 'Estimated number of all versions; only the first call returns it.' }),
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
    summary: 'Load lines of a dataset, in our own shape or as payloads of a provider',
    description:
      'Bad lines are reported by their number and skipped. Repeating an import changes nothing. A record that is older than the stored one goes into its history and is not served. Without `fetched_at` or `fetched_at_field` the payload itself must contain the time of its fetch, or the import is refused.',
    role: 'operator',
    scope: 'whole service',
    bodyLimit: importBytes,
    body: Type.Object({
      kind: Type.Optional(orNull(KindName)),
      provider: Type.Optional(orNull(Type.String({ description: 'Whose payloads they are; null = our own shape.' }))),
      fetched_at: Type.Optional(
        orNull(Type.String({ description: 'When the data was fetched: a date, an ISO 8601 time, or how long ago.' })),
      ),
      fetched_at_field: Type.Optional(
        orNull(
          Type.String({
            minLength: 1,
            maxLength: 200,
            description:
              'The dotted path of the field that holds that time in each line; if it is empty, `fetched_at` applies.',
          }),
        ),
      ),
      lines: Type.Array(Type.String(), { maxItems: 500, description: 'One JSON text per record.' }),
    }),
    response: Type.Object({
      saved: Count,
      older: Type.Integer({ minimum: 0, description: 'Older than the stored record: kept in its history.' }),
      suppressed: Count,
      unchanged: Count,
      errors: Type.Array(Type.Object({ line: Type.Integer(), reason: Type.String() })),
      unread: Type.Array(Type.Object({ line: Type.Integer(), field: Type.String() }), {
        description: 'Fields that cannot be read; their records are taken without them.',
      }),
    }),
  },
  /** Rebuilds records from the raw archive, one batch per call. Progress is stored, so a later call continues. */
  reprojectRecords: {
    route: 'POST /records/reproject',
    summary: 'Rebuild the next batch of records from the raw archive',
    description: 'Call it until `done`. An interrupted job continues where it stopped. No provider is asked.',
    role: 'operator',
    scope: 'whole service',
    body: Body,
    response: Progress,
  },
} satisfies AdminOperationRows
