import Type from 'typebox'
import { RefParams } from '../records/records.ts'
import type { AdminOperation, AdminOperationRows } from '../operation.ts'
import { KindName, Count, listBytes, orNull } from '../schemas.ts'

const Alias = Type.Object({ type: Type.String(), value: Type.String() })
const Plan = Type.Object({
  kind: KindName,
  asked: Type.Array(Alias, { description: 'Kept out even if nothing is stored under them.' }),
  entities: Type.Array(
    Type.Object({
      id: Type.Integer(),
      key: Type.String(),
      name: orNull(Type.String()),
      aliases: Type.Array(Alias),
      former_aliases: Type.Array(Alias, { description: 'Held by someone else now, and not kept out.' }),
      versions: Count,
      fetches: Count,
      payloads: Count,
      suspect_names: Type.Array(Type.String(), {
        description:
          'Names in its versions that contradict each other: it may be two subjects, and is to be split first.',
      }),
    }),
    { description: 'Everyone who holds or ever held the name.' },
  ),
  calls: Count,
  replays: Count,
  mentions: Type.Integer({ description: 'Payloads and versions of others that mention the subject.' }),
})
const TablesLeft = Type.Array(Type.String(), {
  description:
    'On PostgreSQL: tables that still hold deleted rows, because another transaction reads them. A job rewrites them when it has ended.',
})
const Erased = Type.Object({
  erased: Type.Object({
    entities: Count,
    versions: Count,
    fetches: Count,
    payloads: Count,
    calls: Count,
    replays: Count,
    redacted_payloads: Type.Integer({ description: 'Payloads of other records from which the subject was removed.' }),
  }),
  suppressed_hashes: Count,
  files_rewritten: Type.Boolean(),
  tables_left: TablesLeft,
  duration_ms: Count,
})
const EraseSuspects = Type.Optional(
  Type.Boolean({
    description:
      'Erase a record as one subject although its versions have names that contradict each other; refused with 409 otherwise.',
  }),
)
const Body = Type.Object({
  reason: Type.String({ minLength: 1, maxLength: 500, description: 'For the audit log. Do not name the person here.' }),
  entity_ids: Type.Optional(
    Type.Array(Type.Integer(), { description: 'The entities of the plan to erase; all of them by default.' }),
  ),
  markers: Type.Optional(
    Type.Array(Type.String({ minLength: 3 }), {
      maxItems: 20,
      description: 'Further words by which others’ data may mention the subject, such as a full name.',
    }),
  ),
  erase_suspects: EraseSuspects,
})

const eraseRow = {
  summary: 'Erase a person or company, and suppress them from now on',
  description: 'With `Accept: application/x-ndjson` the answer is a line per step, and the result as the last line.',
  role: 'owner',
  scope: 'whole service',
  params: RefParams,
  body: Body,
  response: Erased,
  produces: { 'application/x-ndjson': Type.String() },
} satisfies Partial<AdminOperation>

const planRow = {
  summary: 'What an erasure would remove; changes nothing',
  role: 'operator',
  scope: 'whole service',
  params: RefParams,
  response: Plan,
} satisfies Partial<AdminOperation>

const ManyBody = Type.Object({
  ids: Type.Array(Type.String({ minLength: 1, maxLength: 2_000 }), {
    minItems: 1,
    maxItems: 1_000,
    description: 'member_urns, company_ids, slugs, URLs, or e-mail addresses of people.',
  }),
  kind: Type.Optional(KindName),
  reason: Type.String({ minLength: 1, maxLength: 500, description: 'For the audit log. Do not name anyone here.' }),
  erase_suspects: EraseSuspects,
  dry_run: Type.Optional(Type.Boolean({ description: 'Only count what would be removed.' })),
})
const Outcome = Type.Object({
  id: Type.String({ description: 'As it was given.' }),
  kind: KindName,
  entities: Type.Integer({
    description:
      'How many records the id matched. 0: nothing is stored; the id is only suppressed. A record that two ids share counts once.',
  }),
  versions: Count,
  fetches: Count,
  payloads: Count,
})
const ErasedMany = Type.Object({
  subjects: Type.Array(Outcome, { description: 'In the order of the ids.' }),
  calls: Count,
  replays: Count,
  redacted_payloads: Type.Integer({ description: 'Payloads of other records that mention one of the subjects.' }),
  suppressed_hashes: Count,
  files_rewritten: Type.Boolean(),
  tables_left: TablesLeft,
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
      'The store is read once for all of them. All of them are suppressed before anything is removed; an interrupted request can be repeated. Without `kind`, the form of an id or its stored record decides what it is. If an id cannot be read, nothing is changed: `errors` names up to 20 such ids, and `detail` says how many more there are. With `Accept: application/x-ndjson` the answer is a line per step, and the result as the last line.',
    role: 'owner',
    scope: 'whole service',
    bodyLimit: 3 * listBytes,
    body: ManyBody,
    response: ErasedMany,
    produces: { 'application/x-ndjson': Type.String() },
  },
} satisfies AdminOperationRows
