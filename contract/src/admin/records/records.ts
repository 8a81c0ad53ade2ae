import Type, { type Static } from 'typebox'
import { FilledUnit } from '../../provenance.ts'
import type { AdminOperation, AdminOperationRows } from '../operation.ts'
import { Time, KindName, Count, Cursor, Moment, orNull } from '../schemas.ts'

/** Stored records have the shape of the public API. */
export const anyRecord = Type.Record(Type.String(), Type.Unknown(), {
  description: 'The record in full, as the public API describes it.',
})
const RecordSummary = Type.Object({
  kind: KindName,
  key: Type.String({ description: 'member_urn or company_id.' }),
  derived: Type.Boolean({ description: 'The provider knows no durable id, so the key is ours.' }),
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
  current: Type.Boolean({ description: 'The one that is served.' }),
})
export type Version = Static<typeof Version>
const Fetch = Type.Object({
  id: Type.Integer(),
  provider: Type.String(),
  at: Time,
  status: orNull(Type.Integer()),
  outcome: Type.String(),
  cost: orNull(Type.Number({ description: 'In the provider’s own credits.' })),
  duration_ms: orNull(Type.Number()),
  has_payload: Type.Boolean(),
  redacted: Type.Boolean({ description: 'Someone else who was erased has been taken out of it.' }),
  removed: Type.Array(Type.String(), {
    description: 'Paths that must not be stored: they were cut before it was archived.',
  }),
})
export const RecordView = Type.Object({
  kind: KindName,
  key: Type.String(),
  derived: Type.Boolean(),
  name: orNull(Type.String()),
  aliases: Type.Array(
    Type.Object({
      type: Type.String({ description: 'slug, id, urn, opaque, member, or the name of a provider.' }),
      value: Type.String(),
      withdrawn: Type.Boolean({ description: 'The provider has since denied it, so nothing is served under it.' }),
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
    description: 'Per field, whether its provider can fill it: tells "not supplied" from "empty on the profile".',
  }),
  filled: Type.Array(FilledUnit, {
    description: 'The units of the record that come from other fetches than the rest.',
  }),
  versions: Count,
  suspect_names: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Names in its versions that contradict each other: it may be two subjects, and can be split.',
    }),
  ),
  fetches: Type.Array(Fetch, { description: 'The upstream calls about it, newest first, at most 50.' }),
})

/** The id in a record's path. */
export const RefParams = Type.Object({
  ref: Type.String({ description: 'member_urn, company_id, slug or URL, percent-encoded.' }),
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
  summary: 'What changed between two moments; the last two versions by default',
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
  summary: 'Every version of a record that is kept, newest first',
  role: 'viewer',
  scope: 'whole service',
  params: RefParams,
  response: Type.Object({ kind: KindName, key: Type.String(), versions: Type.Array(Version) }),
} satisfies Partial<AdminOperation>

const showRow = {
  summary: 'Show a record, its names, and where it came from',
  role: 'viewer',
  scope: 'whole service',
  params: RefParams,
  response: RecordView,
} satisfies Partial<AdminOperation>

/** Reads stored records. Every read is audited. */
export const recordOperations = {
  searchRecords: {
    route: 'GET /records',
    summary: 'Search by words of a name or of the present company, the beginning of a slug, a URL, or any id in full',
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
    summary: 'The record of one version',
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
    summary: 'An upstream answer, byte for byte as it came, without what its provider file lists under never_store',
    role: 'operator',
    scope: 'whole service',
    params: Id,
    produces: { 'application/json': Type.Unknown(), 'application/octet-stream': Type.String({ format: 'binary' }) },
  },
} satisfies AdminOperationRows
