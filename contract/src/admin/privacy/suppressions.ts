import Type from 'typebox'
import type { AdminOperationRows } from '../operation.ts'
import { bytesGone } from './erasure.ts'
import { Time, KindName, Count, Cursor, Moment, listBytes, pageQuery, orNull } from '../schemas.ts'

const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' })
export const Suppression = Type.Object({
  hash: Hash,
  kind: KindName,
  origin: Type.String({ description: 'The origin of the suppression: `erasure`, `operator`, or the name of a feed.' }),
  reason: orNull(Type.String()),
  created_at: Time,
  subject: Type.Optional(orNull(Hash)),
})
const Ids = Type.Array(Type.String({ minLength: 1, maxLength: 1_000 }), {
  maxItems: 1_000,
  description:
    'The people or companies: slugs, URLs, member_urns, company_ids, e-mail addresses of people, or `provider:id`.',
})
const Reason = Type.Optional(Type.String({ maxLength: 500 }))

/** The suppression list. It holds only keyed hashes: it can check an id, but cannot list ids. */
export const suppressionOperations = {
  listSuppressions: {
    route: 'GET /suppressions',
    summary: 'List the suppressions, oldest first unless `order` is `newest`',
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
    summary: 'Export the whole suppression list as NDJSON, for another Vitae service with the same secret key',
    role: 'operator',
    scope: 'whole service',
    query: Type.Object({ since: Type.Optional(Moment) }),
    produces: { 'application/x-ndjson': Type.String() },
  },
  listErasures: {
    route: 'GET /erasures',
    summary: 'List the erasures since a given time, for systems that hold copies of the data',
    description:
      'Returns hashes, not ids. To learn which of your ids were erased, send them to `POST /suppressions/check`.',
    role: 'viewer',
    scope: 'whole service',
    query: Type.Object({ since: Type.Optional(Moment), ...pageQuery }),
    response: Type.Object({
      erasures: Type.Array(Type.Object({ hash: Hash, kind: KindName, erased_at: Time, ...bytesGone })),
      next_cursor: Cursor,
    }),
  },
  checkSuppressions: {
    route: 'POST /suppressions/check',
    summary: 'Check which of these ids are suppressed',
    role: 'operator',
    scope: 'whole service',
    bodyLimit: listBytes,
    body: Type.Object({ kind: KindName, ids: Ids }),
    response: Type.Object({ suppressed: Type.Array(Type.String()) }),
  },
  addSuppressions: {
    route: 'POST /suppressions',
    summary: 'Suppress people or companies',
    description: 'Lookups no longer return or fetch them. Their stored data stays; only an erasure removes it.',
    role: 'operator',
    scope: 'whole service',
    status: 201,
    bodyLimit: listBytes,
    body: Type.Object({ kind: KindName, ids: Ids, origin: Type.Optional(Type.String()), reason: Reason }),
    response: Type.Object({ added: Count }),
  },
  removeSuppressions: {
    route: 'POST /suppressions/remove',
    summary: 'End the suppression of people or companies',
    description:
      'Removes every identifier that was suppressed together with the given ids, as an erasure does with all names of a person. The response lists what was removed. For erasures by versions before 1.0.0-rc.2, only the given ids are removed.',
    role: 'owner',
    scope: 'whole service',
    bodyLimit: listBytes,
    body: Type.Object({ kind: KindName, ids: Ids, reason: Reason }),
    response: Type.Object({ removed: Count, suppressions: Type.Array(Suppression) }),
  },
  importSuppressions: {
    route: 'POST /suppressions/import',
    summary: 'Add a provider’s opt-out feed or an exported suppression list',
    role: 'operator',
    scope: 'whole service',
    bodyLimit: 8 * 1024 * 1024,
    body: Type.Object({
      kind: Type.Optional(KindName),
      origin: Type.Optional(
        Type.String({
          description:
            'The name of the feed. If it is the name of a provider, numbers in the feed are ids of that provider.',
        }),
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
