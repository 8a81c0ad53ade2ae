import Type, { type Static, type TSchema } from 'typebox'
import { kinds } from '../../kinds.ts'
import { type PersonPart, personParts } from '../../person.ts'
import type { AdminOperationRows } from '../operation.ts'
import { Time, Count, Cursor, pageQuery, orNull } from '../schemas.ts'

const KeyId = Type.Object({ id: Type.String() })
const parts = Object.keys(personParts) as PersonPart[]
const listRule = 'Null allows all, an empty list allows none.'
const setting = <S extends TSchema>(schema: S) => Type.Optional(orNull(schema))

/**
 * The settings of a key in a request body. Null removes a limit, an empty list allows nothing, and an absent setting is
 * unchanged.
 */
const settings = {
  label: setting(Type.String({ maxLength: 200 })),
  ceiling: setting(Type.Integer({ minimum: 0, description: 'Credits per UTC calendar month.' })),
  daily_ceiling: setting(Type.Integer({ minimum: 0, description: 'Credits per UTC day.' })),
  rate: setting(Type.String({ description: 'Calls per window, such as 300/60s.' })),
  endpoints: setting(Type.Array(Type.Enum([...kinds]), { description: `Allowed endpoints. ${listRule}` })),
  parts: setting(Type.Array(Type.Enum(parts), { description: `Allowed optional parts. ${listRule}` })),
  networks: setting(Type.Array(Type.String(), { description: `Allowed addresses or CIDR networks. ${listRule}` })),
  expires_at: setting(Type.String({ description: 'ISO 8601 time.' })),
}
const key = {
  id: Type.String(),
  display: Type.String({ description: 'First and last characters of the key.' }),
  project: Type.String(),
  environment: Type.String(),
  mode: Type.Enum(['live', 'test']),
  label: orNull(Type.String()),
  ceiling: orNull(Type.Integer({ description: 'Credits per UTC calendar month.' })),
  daily_ceiling: orNull(Type.Integer({ description: 'Credits per UTC day.' })),
  rate: orNull(Type.String({ description: 'Calls per window; null = the default of the service.' })),
  endpoints: orNull(Type.Array(Type.Enum([...kinds]), { description: 'Null: all; an empty list: none.' })),
  parts: orNull(Type.Array(Type.Enum(parts), { description: 'Null: all; an empty list: none.' })),
  networks: orNull(Type.Array(Type.String(), { description: 'Null: all; an empty list: none.' })),
  expires_at: orNull(Time),
  created_at: Time,
  last_used_at: orNull(Time),
  revoked_at: orNull({ ...Time, description: 'When it was revoked, or when the overlap of its rotation ends.' }),
  revoked: Type.Boolean({ description: 'True: the key no longer works.' }),
  rotated_from: orNull(Type.String()),
  rotated_to: Type.Optional(
    orNull(Type.String({ description: 'The key that replaced it; only returned for a single key.' })),
  ),
  spent_this_month: Count,
  spent_today: Count,
}
/** A key as operators see it. */
const Key = Type.Object(key)
export type Key = Static<typeof Key>
/** A new key, with its secret, which is shown only once. */
const NewKey = Type.Object({ ...key, key: Type.String({ description: 'The key itself. Keep it now.' }) })
export type NewKey = Static<typeof NewKey>

/** Creates, shows, changes, rotates and revokes keys. Every change takes effect before the response is sent. */
export const keyOperations = {
  listKeys: {
    route: 'GET /keys',
    summary: 'List keys',
    role: 'viewer',
    scope: 'own part',
    query: Type.Object({
      project: Type.Optional(Type.String()),
      environment: Type.Optional(Type.String()),
      text: Type.Optional(
        Type.String({ maxLength: 200, description: 'Part of a label, an id or the shown characters.' }),
      ),
      state: Type.Optional(Type.Enum(['active', 'ended'], { description: 'Ended keys are revoked or expired.' })),
      mode: Type.Optional(Type.Enum(['live', 'test'])),
      order: Type.Optional(Type.Enum(['newest', 'oldest', 'last_used'], { description: 'By id if left out.' })),
      ...pageQuery,
    }),
    response: Type.Object({ keys: Type.Array(Key), next_cursor: Cursor }),
  },
  createKey: {
    route: 'POST /keys',
    summary: 'Make a key; the answer is the only place where it is ever shown',
    role: 'operator',
    scope: 'own project',
    status: 201,
    body: Type.Object({
      project: Type.String(),
      environment: Type.String(),
      mode: Type.Enum(['live', 'test']),
      ...settings,
    }),
    response: NewKey,
  },
  showKey: {
    route: 'GET /keys/:id',
    summary: 'Show a key',
    role: 'viewer',
    scope: 'own project',
    params: KeyId,
    response: Key,
  },
  updateKey: {
    route: 'PATCH /keys/:id',
    summary: 'Change the settings of a key',
    role: 'operator',
    scope: 'own project',
    params: KeyId,
    body: Type.Object(settings),
    response: Key,
  },
  rotateKey: {
    route: 'POST /keys/:id/rotate',
    summary: 'Make a successor; the old key works until the overlap ends',
    role: 'operator',
    scope: 'own project',
    status: 201,
    params: KeyId,
    body: Type.Object({
      overlap: Type.String({ description: 'How long the old key still works, such as 1h; 0s ends it now.' }),
    }),
    response: NewKey,
  },
  revokeKey: {
    route: 'POST /keys/:id/revoke',
    summary: 'Revoke a key at once',
    role: 'operator',
    scope: 'own project',
    params: KeyId,
    body: Type.Object({ reason: Type.Optional(Type.String()) }),
    response: Key,
  },
} satisfies AdminOperationRows
