import Type, { type Static, type TSchema } from 'typebox'
import { kinds } from '../../records/kinds.ts'
import { type PersonPart, personParts } from '../../records/person.ts'
import type { AdminOperationRows } from '../operation.ts'
import { Time, Count, Cursor, Label, pageQuery, orNull } from '../schemas.ts'

const KeyId = Type.Object({ id: Type.String() })
const parts = Object.keys(personParts) as PersonPart[]
const listRule = 'Null allows all, an empty list allows none.'
const setting = <S extends TSchema>(schema: S) => Type.Optional(orNull(schema))

/**
 * The settings of a key in a request body. Null removes a limit, an empty list allows nothing, and an absent setting is
 * unchanged.
 */
const settings = {
  label: setting(Label),
  ceiling: setting(
    Type.Integer({ minimum: 0, description: 'The credits that the key may spend in a UTC calendar month.' }),
  ),
  daily_ceiling: setting(Type.Integer({ minimum: 0, description: 'The credits that the key may spend in a UTC day.' })),
  rate: setting(Type.String({ description: 'The calls that the key may make in a time window, such as 300/60s.' })),
  endpoints: setting(
    Type.Array(Type.Enum([...kinds]), { description: `The endpoints that the key may use. ${listRule}` }),
  ),
  parts: setting(
    Type.Array(Type.Enum(parts), { description: `The optional parts that the key may ask for. ${listRule}` }),
  ),
  networks: setting(
    Type.Array(Type.String(), { description: `The addresses or CIDR networks that may use the key. ${listRule}` }),
  ),
  expires_at: setting(Type.String({ description: 'The ISO 8601 time at which the key expires.' })),
}
const key = {
  id: Type.String(),
  display: Type.String({ description: 'The first and last characters of the key.' }),
  project: Type.String(),
  environment: Type.String(),
  mode: Type.Enum(['live', 'test']),
  label: orNull(Type.String()),
  ceiling: orNull(Type.Integer({ description: 'The credits that the key may spend in a UTC calendar month.' })),
  daily_ceiling: orNull(Type.Integer({ description: 'The credits that the key may spend in a UTC day.' })),
  rate: orNull(
    Type.String({
      description: 'The calls that the key may make in a time window; null = the default of the service.',
    }),
  ),
  endpoints: orNull(
    Type.Array(Type.Enum([...kinds]), { description: `The endpoints that the key may use. ${listRule}` }),
  ),
  parts: orNull(
    Type.Array(Type.Enum(parts), { description: `The optional parts that the key may ask for. ${listRule}` }),
  ),
  networks: orNull(
    Type.Array(Type.String(), { description: `The addresses or CIDR networks that may use the key. ${listRule}` }),
  ),
  expires_at: orNull(Time),
  created_at: Time,
  last_used_at: orNull(Time),
  revoked_at: orNull({
    ...Time,
    description: 'The time at which the key was revoked, or at which the overlap after its rotation ends.',
  }),
  revoked: Type.Boolean({ description: 'True if the key was revoked and no longer works.' }),
  rotated_from: orNull(Type.String()),
  rotated_to: Type.Optional(
    orNull(Type.String({ description: 'The id of the key that replaced this key. Lists leave it out.' })),
  ),
  spent_this_month: Count,
  spent_today: Count,
}
/** A key as operators see it. */
const Key = Type.Object(key)
export type Key = Static<typeof Key>
/** A new key, with its secret, which is shown only once. */
const NewKey = Type.Object({
  ...key,
  key: Type.String({ description: 'The key itself. Save it now: it is never shown again.' }),
})
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
        Type.String({
          maxLength: 200,
          description: 'Only keys whose label, id or shown characters contain this text.',
        }),
      ),
      state: Type.Optional(
        Type.Enum(['active', 'ended'], { description: '`ended`: only keys that are revoked or expired.' }),
      ),
      mode: Type.Optional(Type.Enum(['live', 'test'])),
      order: Type.Optional(
        Type.Enum(['newest', 'oldest', 'last_used'], { description: 'The order of the list; by id if left out.' }),
      ),
      ...pageQuery,
    }),
    response: Type.Object({ keys: Type.Array(Key), next_cursor: Cursor }),
  },
  createKey: {
    route: 'POST /keys',
    summary: 'Create a key; only this response shows it',
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
    summary: 'Rotate a key: create its successor; the old key works until the overlap ends',
    role: 'operator',
    scope: 'own project',
    status: 201,
    params: KeyId,
    body: Type.Object({
      overlap: Type.String({
        description: 'The time during which the old key still works, such as 1h. 0s revokes the old key now.',
      }),
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
