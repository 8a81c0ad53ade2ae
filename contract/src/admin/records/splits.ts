import Type from 'typebox'
import { RefParams } from './records.ts'
import type { AdminOperation, AdminOperationRows } from '../operation.ts'
import { Time, KindName, Count, Cursor, orNull } from '../schemas.ts'

const Name = Type.Object({
  name: Type.String(),
  providers: Type.Array(Type.String()),
  fetches: Type.Array(Type.Integer(), { description: 'The ids of the fetches that returned this name, oldest first.' }),
  last_fetched_at: Time,
})
const Side = Type.Object({
  key: Type.String({ description: 'The member_urn or company_id of the record.' }),
  name: orNull(Type.String()),
  versions: Count,
  fetches: Count,
  aliases: Count,
  watches: Count,
  contacts: Type.Integer({ description: 'The number of contact hashes and match hashes that resolve to this record.' }),
})

const splitRow = {
  summary: 'Split a record that mixes two people or companies into two records',
  description:
    'List in `fetches` the fetches of one of the two. The person or company that the key was issued for keeps it; the other one gets a new key. Watches stay with the identifier they watch, contact details with the record that has them. The two records never join again. Environments that received the record get `record.split`.',
  role: 'operator',
  scope: 'whole service',
  params: RefParams,
  body: Type.Object({
    fetches: Type.Array(Type.Integer({ minimum: 1 }), {
      minItems: 1,
      maxItems: 1_000,
      description: 'The ids of the fetches of one of the two, from `GET /records/suspects`.',
    }),
    reason: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'The reason of the split, for the audit log. Do not name anyone here.',
      }),
    ),
  }),
  response: Type.Object({ kind: KindName, kept: Side, split: Side }),
} satisfies Partial<AdminOperation>

/** Undoes wrong merges: lists records that may be two subjects, and splits one. */
export const splitOperations = {
  listSuspects: {
    route: 'GET /records/suspects',
    summary: 'List records whose versions have names that contradict each other',
    description:
      'Such a record may mix two people or companies that used the same slug. A person who changed their name is listed too. A page may be empty and still have a `next_cursor`.',
    role: 'viewer',
    scope: 'whole service',
    query: Type.Object({
      kind: Type.Optional(KindName),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
      cursor: Type.Optional(Type.String()),
    }),
    response: Type.Object({
      suspects: Type.Array(Type.Object({ kind: KindName, key: Type.String(), names: Type.Array(Name) })),
      next_cursor: Cursor,
    }),
  },
  splitPerson: { route: 'POST /records/people/:ref/split', ...splitRow },
  splitCompany: { route: 'POST /records/companies/:ref/split', ...splitRow },
} satisfies AdminOperationRows
