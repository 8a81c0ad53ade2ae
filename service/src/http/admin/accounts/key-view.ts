import { kinds, personParts, type PersonPart } from '@vitae/contract'
import Type from 'typebox'
import { Count, orNull, Time } from '../schemas.ts'

const parts = Object.keys(personParts) as PersonPart[]

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
  endpoints: orNull(Type.Array(Type.Enum([...kinds]))),
  parts: orNull(Type.Array(Type.Enum(parts))),
  networks: orNull(Type.Array(Type.String())),
  expires_at: orNull(Time),
  created_at: Time,
  last_used_at: orNull(Time),
  revoked_at: orNull(Time),
  rotated_from: orNull(Type.String()),
  rotated_to: Type.Optional(
    orNull(Type.String({ description: 'The key that has taken its place; only where one key is shown.' })),
  ),
  spent_this_month: Count,
  spent_today: Count,
}

/** A key as operators see it. */
export const Key = Type.Object(key)

/** A key at the one moment when it is shown. */
export const NewKey = Type.Object({ ...key, key: Type.String({ description: 'The key itself. Keep it now.' }) })
