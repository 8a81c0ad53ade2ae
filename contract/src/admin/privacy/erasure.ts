import Type from 'typebox'
import { RefParams } from '../records/records.ts'
import type { AdminOperation, AdminOperationRows } from '../operation.ts'
import { KindName, Count, listBytes, orNull } from '../schemas.ts'

const Alias = Type.Object({ type: Type.String(), value: Type.String() })
const Plan = Type.Object({
  kind: KindName,
  asked: Type.Array(Alias, {
    description: 'The identifiers of the request. They are suppressed even if nothing is stored under them.',
  }),
  entities: Type.Array(
    Type.Object({
      id: Type.Integer(),
      key: Type.String(),
      name: orNull(Type.String()),
      aliases: Type.Array(Alias),
      former_aliases: Type.Array(Alias, {
        description: 'Identifiers that now belong to another record. They are not suppressed.',
      }),
      versions: Count,
      fetches: Count,
      payloads: Count,
      suspect_names: Type.Array(Type.String(), {
        description:
          'Names in the versions of this record that contradict each other. The record may mix two people or companies: split it first.',
      }),
    }),
    { description: 'Every record that has the requested identifier now or had it before.' },
  ),
  calls: Count,
  replays: Count,
  mentions: Type.Integer({
    description: 'The number of payloads and versions of other records that mention this person or company.',
  }),
})
const TablesLeft = Type.Array(Type.String(), {
  description:
    'PostgreSQL only: tables whose files still contain deleted rows, in parts that SQL cannot read. They are rewritten once a day (VITAE_REWRITE_AT), or with `now`.',
})
/** When the bytes of deleted rows are gone. */
export const bytesGone = {
  bytes_gone_by: orNull(
    Type.String({
      format: 'date-time',
      description:
        'The time by which no file of the store contains the deleted bytes. SQL cannot read them since the erasure. Null while the erasure is in progress or interrupted: repeat an interrupted one.',
    }),
  ),
  bytes_gone_at: orNull(
    Type.String({
      format: 'date-time',
      description: 'When the deleted bytes were gone; null until then. Embedded engine: at the end of the erasure.',
    }),
  ),
}
/** Whether an erasure or a purge rewrites the tables immediately. */
export const RewriteNow = Type.Optional(
  Type.Boolean({
    description:
      'PostgreSQL only. True: rewrite the tables with deleted rows before the response, not once a day. Calls wait while a table is rewritten.',
  }),
)
const Erased = Type.Object({
  erased: Type.Object({
    entities: Count,
    versions: Count,
    fetches: Count,
    payloads: Count,
    calls: Count,
    replays: Count,
    redacted_payloads: Type.Integer({
      description: 'The number of payloads of other records from which this person or company was removed.',
    }),
  }),
  suppressed_hashes: Count,
  files_rewritten: Type.Boolean(),
  tables_left: TablesLeft,
  ...bytesGone,
  duration_ms: Count,
})
const EraseSuspects = Type.Optional(
  Type.Boolean({
    description:
      'True: erase a record even if its versions have names that contradict each other. Otherwise such a record is refused with 409, because it may mix two people.',
  }),
)
const Body = Type.Object({
  reason: Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'The reason of the erasure, for the audit log. Do not name the person here.',
  }),
  entity_ids: Type.Optional(
    Type.Array(Type.Integer(), {
      description: 'The ids of the entities in the plan to erase; all entities of the plan if left out.',
    }),
  ),
  markers: Type.Optional(
    Type.Array(Type.String({ minLength: 3 }), {
      maxItems: 20,
      description: 'Further words by which the data of others may mention this person or company, such as a full name.',
    }),
  ),
  erase_suspects: EraseSuspects,
  now: RewriteNow,
})

const eraseRow = {
  summary: 'Erase a person or company, and suppress them from now on',
  description:
    'With `Accept: application/x-ndjson` the response has a line for each step, and the last line is the result.',
  role: 'owner',
  scope: 'whole service',
  params: RefParams,
  body: Body,
  response: Erased,
  produces: { 'application/x-ndjson': Type.String() },
} satisfies Partial<AdminOperation>

const planRow = {
  summary: 'Count what an erasure would remove, without removing it',
  role: 'operator',
  scope: 'whole service',
  params: RefParams,
  response: Plan,
} satisfies Partial<AdminOperation>

const ManyBody = Type.Object({
  ids: Type.Array(Type.String({ minLength: 1, maxLength: 2_000 }), {
    minItems: 1,
    maxItems: 1_000,
    description:
      'The people or companies to erase: member_urns, company_ids, slugs, URLs, or e-mail addresses of people.',
  }),
  kind: Type.Optional(KindName),
  reason: Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'The reason of the erasure, for the audit log. Do not name anyone here.',
  }),
  erase_suspects: EraseSuspects,
  now: RewriteNow,
  dry_run: Type.Optional(Type.Boolean({ description: 'True: count what would be removed, without removing it.' })),
})
const Outcome = Type.Object({
  id: Type.String({ description: 'The id as you sent it.' }),
  kind: KindName,
  entities: Type.Integer({
    description:
      'The number of records that the id matched. 0: nothing is stored, and the id is only suppressed. A record that two ids match counts once.',
  }),
  versions: Count,
  fetches: Count,
  payloads: Count,
})
const ErasedMany = Type.Object({
  subjects: Type.Array(Outcome, { description: 'One result for each id, in the order of the request.' }),
  calls: Count,
  replays: Count,
  redacted_payloads: Type.Integer({
    description:
      'The number of payloads of other records from which one of the erased people or companies was removed.',
  }),
  suppressed_hashes: Count,
  files_rewritten: Type.Boolean(),
  tables_left: TablesLeft,
  ...bytesGone,
  duration_ms: Count,
})

/** Erasure: its plan, and the erasure itself. */
export const erasureOperations = {
  planPersonErasure: { route: 'GET /records/people/:ref/erasure', ...planRow },
  planCompanyErasure: { route: 'GET /records/companies/:ref/erasure', ...planRow },
  erasePerson: { route: 'POST /records/people/:ref/erase', ...eraseRow },
  eraseCompany: { route: 'POST /records/companies/:ref/erase', ...eraseRow },
  /** Erases many records at once. */
  eraseRecords: {
    route: 'POST /records/erase',
    summary: 'Erase up to 1,000 people or companies at once, and suppress them from now on',
    description:
      'All ids are suppressed before anything is removed, so an interrupted request can be repeated. Without `kind`, the form of an id or its stored record decides whether it is a person or a company. If an id is not valid, nothing changes: `errors` names up to 20 such ids, and `detail` says how many more there are. With `Accept: application/x-ndjson` the response has a line for each step, and the last line is the result.',
    role: 'owner',
    scope: 'whole service',
    bodyLimit: 3 * listBytes,
    body: ManyBody,
    response: ErasedMany,
    produces: { 'application/x-ndjson': Type.String() },
  },
} satisfies AdminOperationRows
