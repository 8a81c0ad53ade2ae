import Type from 'typebox'
import { anyRecord } from './records.ts'
import type { AdminOperationRows } from '../operation.ts'
import { KindName, orNull } from '../schemas.ts'

const Query = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 4_096, description: 'Slug, number or URL, as callers give it.' }),
  dry_run: Type.Optional(Type.Boolean({ description: 'Only say what would happen.' })),
  key_id: Type.Optional(
    Type.String({
      description: 'Judge a dry run by this key’s ceiling and credits. The key itself may be sent as ApiKey.',
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
  cost: Type.Integer({ description: 'The expected charge.' }),
  max_cost: Type.Integer({ description: 'The most that the call can charge.' }),
  would_exceed: Type.Boolean({ description: 'False if no key is named.' }),
  provider_cost_at_most: orNull(
    Type.Number({
      description:
        'The total that providers and their retries may cost, in VITAE_CURRENCY; null if no provider is asked or none has a price.',
    }),
  ),
})

export const lookupOperations = {
  /** Lookups by operators: a preview, or the record itself. They are never billed. */
  lookUp: {
    route: 'GET /lookup/:kind',
    summary: 'Look a record up without billing anyone, or only say what a lookup would do',
    description: 'The headers with source and age of the record are those of the public API.',
    role: 'operator',
    scope: 'whole service',
    params: Type.Object({ kind: KindName }),
    query: Query,
    response: Type.Union([Expected, anyRecord]),
  },
} satisfies AdminOperationRows
