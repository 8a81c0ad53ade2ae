import Type from 'typebox'
import type { AdminOperationRows } from '../operation.ts'
import { Time, KindName, Count, Cursor, Moment, listBytes, pageQuery, orNull } from '../schemas.ts'

const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' })
export const Suppression = Type.Object({
  hash: Hash,
  kind: KindName,
  origin: Type.String({ description: '`erasure`, `operator`, or the name of a feed.' }),
  reason: orNull(Type.String()),
  created_at: Time,
  subject: Type.Optional(orNull(Hash)),
})
const Ids = Type.Array(Type.String({ minLength: 1, maxLength: 1_000 }), {
  maxItems: 1_000,
  description: 'Slugs, URLs, member_urns, company_ids, e-mail addresses of people, or `provider:id`.',
})
const Reason = Type.Optional(Type.String({ maxLength: 500 }))

/** The suppression list. It holds only keyed hashes: it can check an id, but cannot list ids. */
export const suppressionOperations = {
  listSuppressions: {
    route: 'GET /suppressions',
    summary: 'The suppression list, oldest first unless order says otherwise',
    role: 'viewer',
    scope: 'whole service',
    query: Type.Object({
      since: Type.Optional(Moment),
      kind: Type.Optional(KindName),
      origin: Type.Optional(Type.String()),
      order: Type.Optional(Type.Enum(['newest', 'oldest'])),
      ...pageQuery,
    }),
    response: Type.Object({ suppressions: Type.Array(Suppression), next_cursor: Cursor }),
  },
  exportSuppressions: {
    route: 'GET /suppressions/export',
    summary: 'The whole list as NDJSON, for another service with the same secret key',
    role: 'operator',
    scope: 'whole service',
    query: Type.Object({ since: Type.Optional(Moment) }),
    produces: { 'application/x-ndjson': Type.String() },
  },
  listErasures: {
    route: 'GET /erasures',
    summary: 'Erasures since a given time, for systems that hold copies of our data',
    description: 'As hashes: ask /suppressions/check about the ids that you hold.',
    role: 'viewer',
    scope: 'whole service',
    query: Type.Object({ since: Type.Optional(Moment), ...pageQuery }),
    response: Type.Object({
      erasures: Type.Array(Type.Object({ hash: Hash, kind: KindName, erased_at: Time })),
      next_cursor: Cursor,
    }),
  },
  checkSuppressions: {
    route: 'POST /suppressions/check',
    summary: 'Which of these ids are kept out',
    role: 'operator',
    scope: 'whole service',
    bodyLimit: listBytes,
    body: Type.Object({ kind: KindName, ids: Ids }),
    response: Type.Object({ suppressed: Type.Array(Type.String()) }),
  },
  addSuppressions: {
    route: 'POST /suppressions',
    summary: 'Keep people or companies out',
    description: 'What is stored of them is no longer served; only an erasure removes it.',
    role: 'operator',
    scope: 'whole service',
    status: 201,
    bodyLimit: listBytes,
    body: Type.Object({ kind: KindName, ids: Ids, origin: Type.Optional(Type.String()), reason: Reason }),
    response: Type.Object({ added: Count }),
  },
  removeSuppressions: {
    route: 'POST /suppressions/remove',
    summary: 'Let people or companies in again',
    description:
      'Under every name that was put on the list with theirs: an erasure knew them all. The answer has what was taken off. Of erasures by versions before 1.0.0-rc.2 only the names that are given are taken off.',
    role: 'owner',
    scope: 'whole service',
    bodyLimit: listBytes,
    body: Type.Object({ kind: KindName, ids: Ids, reason: Reason }),
    response: Type.Object({ removed: Count, suppressions: Type.Array(Suppression) }),
  },
  importSuppressions: {
    route: 'POST /suppressions/import',
    summary: 'Add a provider’s opt-out feed, or a list that was exported before',
    role: 'operator',
    scope: 'whole service',
    bodyLimit: 8 * 1024 * 1024,
    body: Type.Object({
      kind: Type.Optional(KindName),
      origin: Type.Optional(
        Type.String({ description: 'The feed. In the feed of a provider, numbers are that provider’s own ids.' }),
      ),
      ids: Type.Optional(Ids),
      hashes: Type.Optional(Type.Array(Suppression, { maxItems: 5_000 })),
    }),
    response: Type.Object({
      added: Count,
      errors: Type.Array(Type.Object({ line: Type.Integer(), reason: Type.String() })),
    }),
  },
} satisfies AdminOperationRows
