import Type, { type Static } from 'typebox'
import { Provider } from './providers.ts'
import type { AdminOperationRows } from '../operation.ts'
import { Time, Count, spanQuery, orNull } from '../schemas.ts'

const ranges = ['hour', 'day', 'week', 'month'] as const

const kinds = [
  ...(['provider', 'environment', 'budget', 'key', 'backup', 'disk', 'clock', 'work'] as const),
  ...(['webhook', 'batch', 'failures', 'finding'] as const),
] as const
const Level = Type.Enum(['danger', 'warning'])
const State = Type.Enum(['paused', 'failing', 'parked', 'failed'], { description: 'Of a webhook, batch or provider.' })
/** One item that needs an operator. */
const Attention = Type.Object({
  level: Level,
  kind: Type.Enum([...kinds]),
  name: Type.String({ description: 'Of the provider, environment, key and so on.' }),
  detail: Type.String(),
  advice: Type.String({ description: 'What to do about it.' }),
  state: Type.Optional(State),
  id: Type.Optional(Type.String({ description: 'Of the webhook, batch or provider.' })),
  project: Type.Optional(Type.String()),
  environment: Type.Optional(Type.String()),
  key_id: Type.Optional(Type.String()),
  code: Type.Optional(Type.String({ description: 'The most frequent failure of recent calls.' })),
})

/** Items of one level, kind and state. */
const AttentionTotal = Type.Object({
  level: Level,
  kind: Type.Enum([...kinds]),
  state: Type.Optional(State),
  total: Type.Integer({ minimum: 1, description: 'Counted up to 1,000.' }),
})

const Point = Type.Object({
  at: Time,
  live: Count,
  store: Count,
  stale: Count,
  client_errors: Count,
  server_errors: Count,
  credits: Count,
  p50_ms: orNull(Type.Number()),
  p95_ms: orNull(Type.Number()),
})
const Totals = Type.Object({
  calls: Count,
  credits: Count,
  live: Count,
  store: Count,
  stale: Count,
  failures: Count,
  client_errors: Type.Integer({ description: 'Refused calls, 4xx.' }),
  server_errors: Type.Integer({ description: 'Calls that failed here or upstream, 5xx.' }),
  upstream_saved: Type.Integer({ description: 'Answers that needed no call to a provider.' }),
  store_share: Type.Number({ description: 'Of all answers, 0 to 1.' }),
})

const Spending = Type.Object({
  project: Type.String(),
  environment: Type.String(),
  available: Type.Integer(),
  burnt: Type.Integer({ description: 'Credits spent in the range.' }),
  per_day: Type.Number({ description: 'Credits spent per day, over the last 14 days.' }),
  days_left: orNull(
    Type.Number({ description: 'Days until the credits run out at that rate. Null if nothing is being spent.' }),
  ),
})
const Overview = Type.Object({
  range: orNull(Type.Enum(ranges)),
  since: Time,
  until: Time,
  bucket: Type.String(),
  bucket_seconds: Type.Integer({ description: 'How long a bucket is. Buckets of a day are days in UTC.' }),
  series: Type.Array(Point),
  totals: Totals,
  environments: Type.Array(Spending, { description: 'At most 100: those that spent most in the range.' }),
  environments_total: Type.Integer({ minimum: 0 }),
  providers: Type.Array(Provider),
  attention: Type.Array(Attention, { description: 'What needs a person, the worst first. At most 100 of a group.' }),
  attention_totals: Type.Array(AttentionTotal, { description: 'The groups of these, in the same order.' }),
})
export type Overview = Static<typeof Overview>

const resultKinds = ['call', 'key', 'project', 'environment', 'people', 'companies', 'batch', 'webhook'] as const
const SearchResult = Type.Object({
  kind: Type.Enum([...resultKinds]),
  id: Type.String({ description: 'A request id, the id of a key, a project, the key of a record and so on.' }),
  name: Type.String(),
  detail: Type.String({ description: 'What tells it from others of its name.' }),
})
export type SearchResult = Static<typeof SearchResult>

/** The overview, and the search across everything that has a name. */
export const overviewOperations = {
  readOverview: {
    route: 'GET /overview',
    summary: 'Traffic, spending and providers at a glance',
    role: 'viewer',
    scope: 'own part',
    query: Type.Object({
      range: Type.Optional(Type.Enum(ranges, { description: 'How far back; not together with since.' })),
      ...spanQuery,
    }),
    response: Overview,
  },
  /**
   * Searches everything that has a name. The text is in the body: it may be a person's name or address, which must not
   * appear in a proxy's log.
   */
  searchAll: {
    route: 'POST /search',
    summary: 'Find calls, keys, projects, records, batches and webhooks by what is known of them',
    description:
      'By a request id, part of the label or the shown characters of a key, part of the name of a project, environment or batch, part of the URL of a webhook, and all that a search for records takes, or the e-mail address of a person. At most five of a kind; what the token may not see is not found. A search that finds records is audited.',
    role: 'viewer',
    scope: 'own part',
    body: Type.Object({ text: Type.String({ minLength: 1, maxLength: 300 }) }),
    response: Type.Object({ results: Type.Array(SearchResult) }),
  },
} satisfies AdminOperationRows
