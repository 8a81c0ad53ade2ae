import Type, { type Static } from 'typebox'
import { dataSources } from '../../headers.ts'
import { LedgerEntry } from './credits.ts'
import type { AdminOperationRows } from '../operation.ts'
import { Time, KindName, Cursor, pageQuery, spanQuery, orNull } from '../schemas.ts'

const Attempt = Type.Object({
  provider: Type.String(),
  outcome: Type.String({
    description:
      'found, not_found, unavailable, timeout, invalid, rejected or limited; not_asked if the request would have exceeded VITAE_MAX_COST_PER_CALL.',
  }),
  status: orNull(
    Type.Integer({
      description: 'The HTTP status of the provider’s last answer; null if the provider did not answer.',
    }),
  ),
  cause: orNull(
    Type.String({ description: 'The reason why the provider failed, such as "connection refused" or "HTTP 503".' }),
  ),
  cost: orNull(
    Type.Number({
      description:
        'The maximum cost of the requests to this provider, in `currency`; null if the provider has no price.',
    }),
  ),
  duration_ms: Type.Number(),
})
const Freshness = Type.Object({
  decision: Type.String({
    description: 'What the call decided to do: serve store, serve stale_fallback, fetch or fail.',
  }),
  reason: Type.String(),
  copy_age_seconds: orNull(Type.Number({ description: 'The age of the stored copy.' })),
  max_age_seconds: orNull(
    Type.Number({ description: 'The maximum age at which a stored copy could answer this call.' }),
  ),
})
const Settlement = Type.Object({
  outcome: Type.Enum(['charged', 'captured', 'released', 'held', 'none']),
  held: Type.Integer({ description: 'The credits that were held before the fetch.' }),
  charged: Type.Integer(),
  entries: Type.Array(LedgerEntry),
})
const Ms = orNull(Type.Number())
/** One call with the explanation of its result. */
const ExplainedCall = Type.Object({
  request_id: Type.String(),
  at: Time,
  project: Type.String(),
  environment: Type.String(),
  key: Type.Object({ id: Type.String(), display: Type.String(), label: orNull(Type.String()) }),
  mode: Type.Enum(['live', 'test']),
  kind: KindName,
  identifier: orNull(
    Type.String({
      description:
        'The identifier that the request sent. For a plain answer from the store, the name of the record instead. Null after an erasure or if unknown.',
    }),
  ),
  identifier_type: orNull(Type.String({ description: 'The type of the identifier: slug, id, opaque or urn.' })),
  entity_key: orNull(
    Type.String({ description: 'The member_urn or company_id of the record; null after an erasure.' }),
  ),
  status: Type.Integer(),
  code: orNull(Type.String()),
  source: orNull(Type.String()),
  replay_of: orNull(Type.String()),
  reason: Type.String({
    description:
      'The reason for the outcome, in a sentence or two: for a 402 the limit and when it renews, for a 400 the broken rule, for a 404 the providers that were asked.',
  }),
  tag: orNull(Type.String({ description: 'The X-Spend-Tag of the call: what the caller says that the call is for.' })),
  options: orNull(
    Type.Array(Type.String(), {
      description:
        'The options of the request that differ from the defaults. Null if the options were not kept, as for a plain answer from the store.',
    }),
  ),
  is_explained: Type.Boolean({
    description: 'True if the steps of the call were kept. The steps of a plain answer from the store are not kept.',
  }),
  freshness: orNull(Freshness),
  attempts: Type.Array(Attempt, { description: 'The providers that were asked, in the order of the requests.' }),
  currency: Type.String({ description: 'The currency of the costs: VITAE_CURRENCY.' }),
  cause: orNull(Type.String({ description: 'The reason why no provider could be asked; null if one was asked.' })),
  fetched_by: orNull(
    Type.String({ description: 'The request id of another call whose fetch this call waited for and used.' }),
  ),
  suppressed: orNull(
    Type.Boolean({
      description: 'True if the person or company is on the suppression list. Null unless an owner token asks.',
    }),
  ),
  settlement: Settlement,
  timings_ms: Type.Object({
    authorize: Ms,
    recall: Ms,
    hold: Ms,
    fetch: Ms,
    save: Ms,
    capture: Ms,
    release: Ms,
    total: Ms,
  }),
})
export type ExplainedCall = Static<typeof ExplainedCall>

const Call = Type.Object({
  request_id: Type.String(),
  at: Time,
  project: Type.String(),
  environment: Type.String(),
  key_id: Type.String(),
  key_name: Type.String({ description: 'The label of the key, or its first and last characters if it has no label.' }),
  mode: Type.Enum(['live', 'test']),
  kind: KindName,
  status: Type.Integer(),
  code: orNull(Type.String()),
  source: orNull(Type.String()),
  credits: Type.Integer(),
  entity_key: orNull(
    Type.String({ description: 'The member_urn or company_id of the record; null after an erasure.' }),
  ),
  entity_name: orNull(
    Type.String({ description: 'With `names`: the name of the record, if the token may read records.' }),
  ),
  duration_ms: orNull(Type.Number()),
  replay_of: orNull(Type.String()),
  tag: orNull(Type.String({ description: 'The X-Spend-Tag of the call: what the caller says that the call is for.' })),
})
export type Call = Static<typeof Call>
const CallQuery = Type.Object({
  project: Type.Optional(Type.String()),
  environment: Type.Optional(Type.String()),
  key_id: Type.Optional(Type.String()),
  kind: Type.Optional(KindName),
  status: Type.Optional(Type.Integer()),
  code: Type.Optional(Type.String()),
  source: Type.Optional(Type.Enum([...dataSources])),
  tag: Type.Optional(
    Type.String({ description: 'The X-Spend-Tag of the call: what the caller says that the call is for.' }),
  ),
  request_id: Type.Optional(Type.String({ maxLength: 100 })),
  record: Type.Optional(
    Type.String({ maxLength: 300, description: 'The member_urn or company_id of the record that was served.' }),
  ),
  names: Type.Optional(
    Type.Boolean({ description: 'Return the names of records too, if the token may read them. This is audited.' }),
  ),
  ...spanQuery,
  ...pageQuery,
})

/** Answered calls, newest first, and the explanation of one call. */
export const callOperations = {
  showCall: {
    route: 'GET /calls/:request_id',
    summary: 'Explain one call: its request, what each provider did, its cost and its time',
    role: 'viewer',
    scope: 'own part',
    params: Type.Object({ request_id: Type.String() }),
    response: ExplainedCall,
  },
  listCalls: {
    route: 'GET /calls',
    summary: 'List calls, newest first',
    description:
      'A page searches at most 500,000 calls. It may therefore have fewer calls than `limit`, or none, and still a `next_cursor`.',
    role: 'viewer',
    scope: 'own part',
    query: CallQuery,
    response: Type.Object({ calls: Type.Array(Call), next_cursor: Cursor }),
  },
} satisfies AdminOperationRows
