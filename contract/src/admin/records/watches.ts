import Type from 'typebox'
import { Watch, WatchById } from '../../watches.ts'
import type { AdminOperationRows } from '../operation.ts'
import { Time, KindName, Count, Cursor, listBytes, pageQuery, orNull } from '../schemas.ts'

const OperatorWatch = Type.Object({
  ...Watch.properties,
  project: Type.String(),
  environment: Type.String(),
  key_id: Type.String({ description: 'The key that pays.' }),
  last_change: orNull(Type.Object({ type: Type.String(), at: Time })),
  credits_per_month: Type.Number({
    description: 'The cost of its refreshes in 30 days, if each of them finds the record.',
  }),
})
const NewWatches = Type.Object({
  project: Type.String(),
  environment: Type.String(),
  key_id: Type.Optional(
    Type.String({ description: 'The key that pays; left out: the newest live key of the environment.' }),
  ),
  watches: Type.Array(WatchById, { maxItems: 1_000 }),
  max_credits_per_month: Type.Optional(
    orNull(
      Type.Integer({
        minimum: 0,
        description: 'What all watches of the environment may spend in a UTC month; null = no limit.',
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
  credits_at_once: Type.Integer({ description: 'The maximum cost of the first refreshes.' }),
  credits_per_month: Type.Number({ description: 'The maximum cost of all refreshes in 30 days.' }),
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
      paused: Type.Optional(Type.Boolean({ description: 'Only paused watches.' })),
    }),
    response: Type.Object({ watches: Type.Array(OperatorWatch), next_cursor: Cursor }),
  },
  addWatches: {
    route: 'POST /watches',
    summary: 'Add watches to an environment, or say what they would cost',
    role: 'operator',
    scope: 'own project',
    status: 201,
    bodyLimit: listBytes,
    body: NewWatches,
    response: Added,
  },
} satisfies AdminOperationRows
