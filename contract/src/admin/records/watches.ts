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
  credits_per_month: Type.Number({ description: 'What its looks cost in 30 days, where every one finds the record.' }),
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
  dry_run: Type.Optional(Type.Boolean({ description: 'Says what they would cost, and adds nothing.' })),
})
const Added = Type.Object({
  project: Type.String(),
  environment: Type.String(),
  key_id: Type.String(),
  created: Count,
  existing: Count,
  errors: Type.Array(Type.Object({ index: Count, reason: Type.String() })),
  credits_at_once: Type.Integer({ description: 'What the first looks cost at most.' }),
  credits_per_month: Type.Number({ description: 'What the looks cost in 30 days at most.' }),
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
    summary: 'List watches: who is watched, when they were last seen, what changed',
    role: 'viewer',
    scope: 'own part',
    query: Type.Object({
      ...pageQuery,
      project: Type.Optional(Type.String()),
      environment: Type.Optional(Type.String()),
      kind: Type.Optional(KindName),
      paused: Type.Optional(Type.Boolean({ description: 'Only those that rest.' })),
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
