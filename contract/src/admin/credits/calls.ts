import Type, { type Static } from 'typebox'
import { dataSources } from '../../headers.ts'
import { LedgerEntry } from './credits.ts'
import type { AdminOperationRows } from '../operation.ts'
import { Time, KindName, Cursor, pageQuery, spanQuery, orNull } from '../schemas.ts'

const Attempt = Type.Object({
  provider: Type.String(),
  outcome: Type.String({
    description:
      'found, not_found, unavailable, timeout, invalid, rejected or limited; not_asked if it would have exceeded VITAE_MAX_COST_PER_CALL.',
  }),
  status: orNull(Type.Integer({ description: 'The HTTP status of its last answer; null if it did not answer.' })),
  cause: orNull(Type.String({ description: 'Why it failed, in words: "connection refused", "HTTP 503".' })),
  cost: orNull(
    Type.Number({ description: 'The possible cost of its requests, in `currency`; null if it has no price.' }),
  ),
  duration_ms: Type.Number(),
})
const Freshness = Type.Object({
  decision: Type.String({ description: 'serve store, serve stale_fallback, fetch or fail.' }),
  reason: Type.String(),
  copy_age_seconds: orNull(Type.Number({ description: 'The age of the stored copy.' })),
  max_age_seconds: orNull(Type.Number({ description: 'The age up to which it was good enough.' })),
})
const Settlement = Type.Object({
  outcome: Type.Enum(['charged', 'captured', 'released', 'held', 'none']),
  held: Type.Integer({ description: 'Credits that were set aside before the fetch.' }),
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
        'The identifier of the request; for a plain answer from the store, the name of its record. Null after an erasure or if unknown.',
    }),
  ),
  identifier_type: orNull(Type.String({ description: 'slug, id, opaque or urn.' })),
  entity_key: orNull(Type.String({ description: 'The member_urn or company_id; null after an erasure.' })),
  status: Type.Integer(),
  code: orNull(Type.String()),
  source: orNull(Type.String()),
  replay_of: orNull(Type.String()),
  reason: Type.String({
    description:
      'Why it ended so, in a sentence or two: the limit of a 402 and when it renews, the rule that a 400 broke, who was asked for a 404.',
  }),
  tag: orNull(Type.String({ description: 'What the caller said it was for, X-Spend-Tag.' })),
  options: orNull(
    Type.Array(Type.String(), {
      description:
        'The options of the request that differ from the defaults; null if they are not kept, as for a plain answer from the store.',
    }),
  ),
  is_explained: Type.Boolean({
    description: 'Whether its steps were kept. Those of a plain answer from the store are not.',
  }),
  freshness: orNull(Freshness),
  attempts: Type.Array(Attempt, { description: 'Every provider that was asked, in order.' }),
  currency: Type.String({ description: 'Of the costs, VITAE_CURRENCY.' }),
  cause: orNull(Type.String({ description: 'Why no provider could be asked at all.' })),
  fetched_by: orNull(Type.String({ description: 'The call that made the fetch which this one waited for.' })),
  suppressed: orNull(
    Type.Boolean({
      description: 'Whether the subject is suppressed; null unless the owner of the service asks.',
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
  key_name: Type.String({ description: 'Its label, or what is shown of it.' }),
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
  tag: orNull(Type.String({ description: 'What the caller said it was for, X-Spend-Tag.' })),
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
  tag: Type.Optional(Type.String({ description: 'What the caller said it was for, X-Spend-Tag.' })),
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
    summary: 'One call: what was asked for, what each provider did, what it cost and where its time went',
    role: 'viewer',
    scope: 'own part',
    params: Type.Object({ request_id: Type.String() }),
    response: ExplainedCall,
  },
  listCalls: {
    route: 'GET /calls',
    summary: 'List calls, newest first',
    description:
      'A page looks through at most 500,000 calls: it may have fewer than asked for, or none, and still a `next_cursor`.',
    role: 'viewer',
    scope: 'own part',
    query: CallQuery,
    response: Type.Object({ calls: Type.Array(Call), next_cursor: Cursor }),
  },
} satisfies AdminOperationRows
