import Type, { type Static } from 'typebox'
import { FilledUnit } from '../../records/provenance.ts'
import type { AdminOperation, AdminOperationRows } from '../operation.ts'
import { Time, KindName, Count, Cursor, Moment, orNull } from '../schemas.ts'

/** Stored records have the shape of the public API. */
export const anyRecord = Type.Record(Type.String(), Type.Unknown(), {
  description: 'The whole record, in the format of the public API.',
})
const RecordSummary = Type.Object({
  kind: KindName,
  key: Type.String({ description: 'The member_urn or company_id of the record.' }),
  derived: Type.Boolean({ description: 'True if Vitae made the key because the provider returned no durable id.' }),
  name: orNull(Type.String()),
  slug: orNull(Type.String()),
  provider: orNull(Type.String()),
  fetched_at: orNull(Time),
  thin: Type.Boolean(),
  versions: Count,
})
const Version = Type.Object({
  id: Type.Integer(),
  fetched_at: Time,
  provider: Type.String(),
  projection: Type.Integer(),
  thin: Type.Boolean(),
  source_updated_at: orNull(Time),
  fetch_id: orNull(Type.Integer()),
  current: Type.Boolean({ description: 'True for the version that lookups return.' }),
})
export type Version = Static<typeof Version>
const Fetch = Type.Object({
  id: Type.Integer(),
  provider: Type.String(),
  at: Time,
  status: orNull(Type.Integer()),
  outcome: Type.String(),
  cost: orNull(Type.Number({ description: 'The cost of the fetch, in the provider’s own credits.' })),
  duration_ms: orNull(Type.Number()),
  has_payload: Type.Boolean(),
  redacted: Type.Boolean({ description: 'True if an erasure removed another person or company from this payload.' }),
  removed: Type.Array(Type.String(), {
    description:
      'The paths that were removed from the payload before it was archived, because its provider file lists them under never_store.',
  }),
})
export const RecordView = Type.Object({
  kind: KindName,
  key: Type.String(),
  derived: Type.Boolean(),
  name: orNull(Type.String()),
  aliases: Type.Array(
    Type.Object({
      type: Type.String({
        description:
          'The type of the identifier: slug, id, urn, opaque, member, or the name of the provider that uses it.',
      }),
      value: Type.String(),
      withdrawn: Type.Boolean({
        description:
          'True if a provider later answered "not found" for this identifier. Lookups by it no longer return the stored record.',
      }),
    }),
  ),
  provider: orNull(Type.String()),
  fetched_at: orNull(Time),
  source_updated_at: orNull(Time),
  age_seconds: orNull(Type.Integer()),
  thin: Type.Boolean(),
  projection: orNull(Type.Integer()),
  record: orNull(anyRecord),
  supplied: Type.Record(Type.String(), Type.Enum(['supplied', 'not_supplied']), {
    description:
      'For each field, whether its provider supplies this field at all. An empty field that is `supplied` is empty on the profile itself.',
  }),
  filled: Type.Array(FilledUnit, {
    description:
      'The units (fields or sections) of the record that come from another fetch than the rest of the record.',
  }),
  versions: Count,
  suspect_names: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Names in the versions of this record that contradict each other. The record may mix two people or companies, and can be split.',
    }),
  ),
  fetches: Type.Array(Fetch, { description: 'The last 50 provider calls about this record, newest first.' }),
})

/** The id in a record's path. */
export const RefParams = Type.Object({
  ref: Type.String({ description: 'The member_urn, company_id, slug or URL of the record, percent-encoded.' }),
})

const Id = Type.Object({ id: Type.Integer() })
const Change = Type.Object({
  kind: Type.Enum([
    'job_change',
    'promotion',
    'return',
    'headline',
    'location',
    'headcount',
    'funding',
    'source_changed',
    'field',
  ]),
  path: Type.String(),
  before: Type.Unknown(),
  after: Type.Unknown(),
})

const diffRow = {
  summary: 'List the changes of a record between two times, by default between its last two versions',
  role: 'viewer',
  scope: 'whole service',
  params: RefParams,
  query: Type.Object({ from: Type.Optional(Moment), to: Type.Optional(Moment) }),
  response: Type.Object({
    changes: Type.Array(Change),
    from: Type.Union([Version, Type.Null()]),
    to: Version,
  }),
} satisfies Partial<AdminOperation>

const historyRow = {
  summary: 'List the stored versions of a record, newest first',
  role: 'viewer',
  scope: 'whole service',
  params: RefParams,
  response: Type.Object({ kind: KindName, key: Type.String(), versions: Type.Array(Version) }),
} satisfies Partial<AdminOperation>

const showRow = {
  summary: 'Show a record, its identifiers, and the fetches it came from',
  role: 'viewer',
  scope: 'whole service',
  params: RefParams,
  response: RecordView,
} satisfies Partial<AdminOperation>

/** Reads stored records. Every read is audited. */
export const recordOperations = {
  searchRecords: {
    route: 'GET /records',
    summary:
      'Search records by words of a name or of the current company, the beginning of a slug, a URL, or a complete id',
    role: 'viewer',
    scope: 'whole service',
    query: Type.Object({
      text: Type.Optional(Type.String({ maxLength: 300 })),
      kind: Type.Optional(KindName),
      provider: Type.Optional(Type.String({ maxLength: 100 })),
      thin: Type.Optional(Type.Boolean()),
      fetched_before: Type.Optional(Moment),
      fetched_after: Type.Optional(Moment),
      order: Type.Optional(Type.Enum(['newest', 'oldest'])),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
      cursor: Type.Optional(Type.String()),
    }),
    response: Type.Object({ records: Type.Array(RecordSummary), next_cursor: Cursor }),
  },
  showPersonRecord: { route: 'GET /records/people/:ref', ...showRow },
  showCompanyRecord: { route: 'GET /records/companies/:ref', ...showRow },
  listPersonVersions: { route: 'GET /records/people/:ref/history', ...historyRow },
  listCompanyVersions: { route: 'GET /records/companies/:ref/history', ...historyRow },
  diffPersonVersions: { route: 'GET /records/people/:ref/diff', ...diffRow },
  diffCompanyVersions: { route: 'GET /records/companies/:ref/diff', ...diffRow },
  showVersion: {
    route: 'GET /records/versions/:id',
    summary: 'Show the record as one version stored it',
    role: 'viewer',
    scope: 'whole service',
    params: Id,
    response: Type.Object({
      id: Type.Integer(),
      kind: KindName,
      provider: Type.String(),
      fetched_at: Time,
      thin: Type.Boolean(),
      record: anyRecord,
    }),
  },
  readRawPayload: {
    route: 'GET /records/fetches/:id/raw',
    summary:
      'Show the stored answer of a provider, byte for byte, without the paths that its provider file lists under never_store',
    role: 'operator',
    scope: 'whole service',
    params: Id,
    produces: { 'application/json': Type.Unknown(), 'application/octet-stream': Type.String({ format: 'binary' }) },
  },
} satisfies AdminOperationRows
