import Type from 'typebox'
import type { AdminOperationRows } from '../operation.ts'
import { Count, orNull } from '../schemas.ts'

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
  { description: 'Null = kept for ever.' },
)
const Provider = Type.String({ minLength: 1, maxLength: 100, description: 'The name of a provider, or `import`.' })
const PurgeCounts = Type.Object({
  entities: Type.Integer({ description: 'Records that no other provider supplied.' }),
  versions: Count,
  fetches: Count,
  payloads: Count,
  names: Type.Integer({ description: 'Ids of the provider’s own.' }),
  replays: Count,
})
const Body = Type.Object({
  provider: Provider,
  reason: Type.Optional(orNull(Type.String({ maxLength: 500, description: 'For the audit log.' }))),
})
const Purged = Type.Object({ provider: Type.String(), removed: PurgeCounts, duration_ms: Count })

/** Retention periods, and the run that deletes older data. The ledger is never changed. */
export const retentionOperations = {
  planRetention: {
    route: 'GET /retention/plan',
    summary: 'The rules, and what a run would remove now',
    role: 'viewer',
    scope: 'whole service',
    response: Type.Object({ rules: Rules, would_remove: Counts }),
  },
  runRetention: {
    route: 'POST /retention/run',
    summary: 'Remove what is older than the rules allow',
    role: 'owner',
    scope: 'whole service',
    response: Type.Object({ removed: Counts }),
  },
} satisfies AdminOperationRows

/** Purges all data of one provider: the plan, and the purge itself. */
export const purgeOperations = {
  planPurge: {
    route: 'GET /records/purge',
    summary: 'What a purge of one provider would remove; changes nothing',
    role: 'operator',
    scope: 'whole service',
    query: Type.Object({ provider: Provider }),
    response: Type.Object({ provider: Type.String(), would_remove: PurgeCounts }),
  },
  purgeRecords: {
    route: 'POST /records/purge',
    summary: 'Remove everything that one provider supplied',
    description:
      'For a contract that has ended. Records that others supply too stay, without it; nobody is suppressed, and the ledger is not touched. The provider must be out of the chain or paused. With `Accept: application/x-ndjson` the answer is a line per step, and the result as the last line.',
    role: 'owner',
    scope: 'whole service',
    body: Body,
    response: Purged,
    produces: { 'application/x-ndjson': Type.String() },
  },
} satisfies AdminOperationRows
