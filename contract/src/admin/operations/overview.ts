import Type, { type Static } from 'typebox'
import { Provider } from './providers.ts'
import type { AdminOperationRows } from '../operation.ts'
import { Time, Count, Zone, spanQuery, orNull } from '../schemas.ts'

const ranges = ['hour', 'day', 'week', 'month'] as const

const kinds = [
  ...(['provider', 'environment', 'budget', 'key', 'backup', 'disk', 'clock', 'work'] as const),
  ...(['webhook', 'batch', 'failures', 'finding'] as const),
] as const
const Level = Type.Enum(['danger', 'warning'])
const State = Type.Enum(['paused', 'failing', 'parked', 'failed'], {
  description: 'The state of the webhook, batch or provider.',
})
/** One item that needs an operator. */
const Attention = Type.Object({
  level: Level,
  kind: Type.Enum([...kinds]),
  name: Type.String({
    description: 'The name of the provider, environment, key or other object that has the problem.',
  }),
  detail: Type.String(),
  advice: Type.String({ description: 'How to fix the problem.' }),
  state: Type.Optional(State),
  id: Type.Optional(Type.String({ description: 'The id of the webhook, batch or provider.' })),
  project: Type.Optional(Type.String()),
  environment: Type.Optional(Type.String()),
  key_id: Type.Optional(Type.String()),
  code: Type.Optional(
    Type.String({
      description: 'The code of the most frequent failure of recent calls, or the reason why a batch is paused.',
    }),
  ),
})

/** Items of one level, kind and state. */
const AttentionTotal = Type.Object({
  level: Level,
  kind: Type.Enum([...kinds]),
  state: Type.Optional(State),
  total: Type.Integer({ minimum: 1, description: 'The number of items in this group; 1,000 means 1,000 or more.' }),
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
  client_errors: Type.Integer({ description: 'The number of calls that were refused with a 4xx status.' }),
  server_errors: Type.Integer({
    description: 'The number of calls that failed with a 5xx status, because of Vitae or of a provider.',
  }),
  upstream_saved: Type.Integer({ description: 'The number of calls that were answered without asking a provider.' }),
  store_share: Type.Number({ description: 'The share of answers that came from the store, 0 to 1.' }),
})

const Spending = Type.Object({
  project: Type.String(),
  environment: Type.String(),
  available: Type.Integer(),
  burnt: Type.Integer({ description: 'Credits spent in the range.' }),
  per_day: Type.Number({ description: 'Credits spent per day, over the last 14 days.' }),
  days_left: orNull(
    Type.Number({
      description:
        'The number of days until the credits run out at the rate of `per_day`. Null if the environment spends nothing.',
    }),
  ),
})
const Overview = Type.Object({
  range: orNull(Type.Enum(ranges)),
  since: Time,
  until: Time,
  bucket: Type.String(),
  bucket_seconds: Type.Integer({
    description: 'The length of one bucket in seconds. Buckets of one day are UTC days.',
  }),
  series: Type.Array(Point),
  totals: Totals,
  environments: Type.Array(Spending, { description: 'The 100 environments that spent most in the range.' }),
  environments_total: Type.Integer({ minimum: 0 }),
  providers: Type.Array(Provider),
  attention: Type.Array(Attention, {
    description: 'Problems that an operator has to solve, the worst first. At most 100 per group.',
  }),
  attention_totals: Type.Array(AttentionTotal, {
    description: 'The groups of the items in `attention`, in the same order.',
  }),
})
export type Overview = Static<typeof Overview>

const resultKinds = ['call', 'key', 'project', 'environment', 'people', 'companies', 'batch', 'webhook', 'tag'] as const
const SearchResult = Type.Object({
  kind: Type.Enum([...resultKinds]),
  id: Type.String({
    description: 'The id of what was found: a request id, the id of a key or project, the key of a record, and so on.',
  }),
  name: Type.String(),
  detail: Type.String({ description: 'A detail that distinguishes this result from others with the same name.' }),
})
export type SearchResult = Static<typeof SearchResult>

/** The overview, and the search across everything that has a name. */
export const overviewOperations = {
  readOverview: {
    route: 'GET /overview',
    summary: 'Show traffic, spending, providers and open problems',
    role: 'viewer',
    scope: 'own part',
    query: Type.Object({
      range: Type.Optional(
        Type.Enum(ranges, { description: 'The time range that ends now. Send either `range` or `since`.' }),
      ),
      ...spanQuery,
      zone: Type.Optional(Zone),
    }),
    response: Overview,
  },
  /**
   * Searches everything that has a name. The text is in the body: it may be a person's name or address, which must not
   * appear in a proxy's log.
   */
  searchAll: {
    route: 'POST /search',
    summary: 'Search calls, keys, projects, records, batches, webhooks and spend tags by a name or an id',
    description:
      'Searches request ids, labels and shown characters of keys, names of projects, environments and batches, URLs of webhooks, and spend tags of the last 30 days. Parts of ids count only if the text looks like an id. Records are found by everything that the search for records accepts, and people by an e-mail address. Returns at most five results of each kind, and only what the token may see. A search that finds records is audited.',
    role: 'viewer',
    scope: 'own part',
    body: Type.Object({ text: Type.String({ minLength: 1, maxLength: 300 }) }),
    response: Type.Object({ results: Type.Array(SearchResult) }),
  },
} satisfies AdminOperationRows
