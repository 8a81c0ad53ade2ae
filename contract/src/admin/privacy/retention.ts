import Type from 'typebox'
import type { AdminOperationRows } from '../operation.ts'
import { Count, orNull } from '../schemas.ts'
import { bytesGone, RewriteNow } from './erasure.ts'

const Days = Type.Union([Type.Number(), Type.Null()])
const Counts = Type.Object({
  payloads: Count,
  versions: Count,
  fetches: Count,
  entities: Count,
  calls: Count,
  misses: Count,
})
const Rules = Type.Object(
  {
    raw_days: Days,
    history_days: Days,
    record_days: Days,
    unused_record_days: Days,
    call_log_days: Days,
    per_provider: Type.Record(Type.String(), Type.Record(Type.String(), Days)),
  },
  { description: 'The number of days that each kind of data is kept; null = for ever.' },
)
const Provider = Type.String({ minLength: 1, maxLength: 100, description: 'The name of a provider, or `import`.' })
const PurgeCounts = Type.Object({
  entities: Type.Integer({ description: 'The number of records that only this provider supplied.' }),
  versions: Count,
  fetches: Count,
  payloads: Count,
  names: Type.Integer({ description: 'The number of ids that only this provider uses.' }),
  replays: Count,
})
const Body = Type.Object({
  provider: Provider,
  reason: Type.Optional(
    orNull(Type.String({ maxLength: 500, description: 'The reason of the purge, for the audit log.' })),
  ),
  now: RewriteNow,
})
const Purged = Type.Object({ provider: Type.String(), removed: PurgeCounts, ...bytesGone, duration_ms: Count })

/** Retention periods, and the run that deletes older data. The ledger is never changed. */
export const retentionOperations = {
  planRetention: {
    route: 'GET /retention/plan',
    summary: 'Show the retention rules, and count what a run would remove now',
    role: 'viewer',
    scope: 'whole service',
    response: Type.Object({ rules: Rules, would_remove: Counts }),
  },
  runRetention: {
    route: 'POST /retention/run',
    summary: 'Remove all data that is older than the retention rules allow',
    role: 'owner',
    scope: 'whole service',
    response: Type.Object({ removed: Counts }),
  },
} satisfies AdminOperationRows

/** Purges all data of one provider: the plan, and the purge itself. */
export const purgeOperations = {
  planPurge: {
    route: 'GET /records/purge',
    summary: 'Count what a purge of one provider would remove, without removing it',
    role: 'operator',
    scope: 'whole service',
    query: Type.Object({ provider: Provider }),
    response: Type.Object({ provider: Type.String(), would_remove: PurgeCounts }),
  },
  purgeRecords: {
    route: 'POST /records/purge',
    summary: 'Remove everything that one provider supplied',
    description:
      'Use it when the contract with a provider ends. Records that other providers supply too stay, without the data of this provider. Nobody is suppressed, and the ledger does not change. First pause the provider or remove it from VITAE_UPSTREAM. With `Accept: application/x-ndjson` the response has a line for each step, and the last line is the result.',
    role: 'owner',
    scope: 'whole service',
    body: Body,
    response: Purged,
    produces: { 'application/x-ndjson': Type.String() },
  },
} satisfies AdminOperationRows
