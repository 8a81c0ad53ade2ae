import Type from 'typebox'
import { anyRecord } from './records.ts'
import type { AdminOperationRows } from '../operation.ts'
import { KindName, orNull } from '../schemas.ts'

const Query = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: 4_096,
    description: 'The slug, number or URL of the record, in any form that the public API accepts.',
  }),
  dry_run: Type.Optional(Type.Boolean({ description: 'Return what a lookup would do, without doing it.' })),
  key_id: Type.Optional(
    Type.String({
      description:
        'The id of a key. A dry run then uses the ceilings and credits of this key. Instead of its id, the key itself may be sent in the ApiKey header.',
    }),
  ),
  max_age_days: Type.Optional(Type.Number({ minimum: 0 })),
  bypass_cache: Type.Optional(Type.Boolean()),
  include_contact_info: Type.Optional(Type.Boolean()),
  include_network_info: Type.Optional(Type.Boolean()),
  get_verification_details: Type.Optional(Type.Boolean()),
})
const Expected = Type.Object({
  source: orNull(Type.Enum(['live', 'store', 'stale_fallback'])),
  age_seconds: orNull(Type.Integer()),
  cost: Type.Integer({ description: 'The credits that the call is expected to charge.' }),
  max_cost: Type.Integer({ description: 'The maximum number of credits that the call can charge.' }),
  would_exceed: Type.Boolean({
    description:
      'True if the call would be refused for lack of credits, or by a budget or ceiling. False if no key was sent.',
  }),
  provider_cost_at_most: orNull(
    Type.Number({
      description:
        'The maximum cost of all provider requests of the call with their retries, in VITAE_CURRENCY. Null if no provider would be asked or none has a price.',
    }),
  ),
})

export const lookupOperations = {
  /** Lookups by operators: a preview, or the record itself. They are never billed. */
  lookUp: {
    route: 'GET /lookup/:kind',
    summary: 'Look up a record without billing anyone, or return what a lookup would do',
    description: 'The response has the same headers for source and age of the record as the public API.',
    role: 'operator',
    scope: 'whole service',
    costs: true,
    params: Type.Object({ kind: KindName }),
    query: Query,
    response: Type.Union([Expected, anyRecord]),
  },
} satisfies AdminOperationRows
