import Type from 'typebox'
import { Watch, WatchById } from '../../watches.ts'
import type { AdminOperationRows } from '../operation.ts'
import { Time, KindName, Count, Cursor, listBytes, pageQuery, orNull } from '../schemas.ts'

const OperatorWatch = Type.Object({
  ...Watch.properties,
  project: Type.String(),
  environment: Type.String(),
  key_id: Type.String({ description: 'The id of the key that pays for the refreshes.' }),
  last_change: orNull(Type.Object({ type: Type.String(), at: Time })),
  credits_per_month: Type.Number({
    description: 'The credits that the refreshes of this watch cost in 30 days, if every refresh finds the record.',
  }),
})
const NewWatches = Type.Object({
  project: Type.String(),
  environment: Type.String(),
  key_id: Type.Optional(
    Type.String({
      description:
        'The id of the key that pays for the refreshes. If left out, the newest live key of the environment pays.',
    }),
  ),
  watches: Type.Array(WatchById, { maxItems: 1_000 }),
  max_credits_per_month: Type.Optional(
    orNull(
      Type.Integer({
        minimum: 0,
        description:
          'The maximum number of credits that all watches of the environment may spend in a UTC month; null = no limit.',
      }),
    ),
  ),
  dry_run: Type.Optional(Type.Boolean({ description: 'Return the cost without adding any watch.' })),
})
const Added = Type.Object({
  project: Type.String(),
  environment: Type.String(),
  key_id: Type.String(),
  created: Count,
  existing: Count,
  errors: Type.Array(Type.Object({ index: Count, reason: Type.String() })),
  credits_at_once: Type.Integer({
    description: 'The maximum number of credits that the first refreshes of the new watches cost.',
  }),
  credits_per_month: Type.Number({
    description: 'The maximum number of credits that all refreshes of the new watches cost in 30 days.',
  }),
  max_credits_per_month: orNull(Type.Integer()),
  spent_this_month: Count,
  watches: Type.Array(Watch),
})

/** The watchlists of all environments. */
export const watchOperations = {
  removeWatch: {
    route: 'DELETE /watches/:id',
    summary: 'End a watch',
    role: 'operator',
    scope: 'own part',
    params: Type.Object({ id: Type.String() }),
    response: Type.Object({ id: Type.String(), deleted: Type.Literal(true) }),
  },
  listWatches: {
    route: 'GET /watches',
    summary: 'List watches with their record, last refresh and last change',
    role: 'viewer',
    scope: 'own part',
    query: Type.Object({
      ...pageQuery,
      project: Type.Optional(Type.String()),
      environment: Type.Optional(Type.String()),
      kind: Type.Optional(KindName),
      paused: Type.Optional(Type.Boolean({ description: 'True: list only paused watches.' })),
    }),
    response: Type.Object({ watches: Type.Array(OperatorWatch), next_cursor: Cursor }),
  },
  addWatches: {
    route: 'POST /watches',
    summary: 'Add watches to an environment, or return what they would cost',
    role: 'operator',
    scope: 'own project',
    status: 201,
    bodyLimit: listBytes,
    body: NewWatches,
    response: Added,
  },
} satisfies AdminOperationRows
