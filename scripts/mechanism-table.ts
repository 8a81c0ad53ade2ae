/** The name of a mechanism, its file in `service/src`, and a text that exists as long as the mechanism does. */
export type Row = readonly [name: string, file: string, mark: string]

/**
 * The mechanisms by kind. A removed one keeps its row: it is then counted as gone. A moved one gets its new file here. A
 * star marks a lease scheme.
 */
export const mechanisms: Record<string, readonly Row[]> = {
  queues: [
    ['SettlementQueue', 'credits/settlement-queue.ts', 'class SettlementQueue'],
    ['EnvironmentLines', 'credits/environment-lines.ts', 'class EnvironmentLines'],
    ['gatherCrowd', 'credits/gather-crowd.ts', 'function gatherCrowd'],
    ['Executor', 'database/sqlite/executor.ts', 'class Executor'],
    ['message batch', 'database/sqlite/connection/store-messages.ts', 'function createMessageBatch'],
    ['GroupedTransaction', 'database/postgres/grouped-transaction.ts', 'class GroupedTransaction'],
    ['ReportLine', 'database/engine/operation.ts', 'class ReportLine'],
    ['copy queue', 'database/sqlite/connection/copy-sqlite.ts', 'let queue: Promise'],
    ['CallLog', 'app/deps/call-log.ts', 'class CallLog'],
    ['Uploads', 'batches/input/uploads.ts', 'class Uploads'],
    ['RowQueue', 'batches/run/row-queue.ts', 'class RowQueue'],
    ['steps of rows together', 'batches/run/pace.ts', 'class Beat'],
    ['ResultWriter', 'batches/run/result-writer.ts', 'class ResultWriter'],
    ['one usage count at a time', 'own-calls/usage.ts', 'this.#last.then(work)'],
    ['one preview at a time', 'http/callers/batch-handlers.ts', 'const previews = new Set'],
  ],
  pacers: [
    ['Scheduler', 'foundation/pacing/scheduler.ts', 'class Scheduler'],
    ['Turns', 'foundation/pacing/turns.ts', 'class Turns'],
    ['FetchStarts', 'lookup/payment/fetch-starts.ts', 'class FetchStarts'],
    ['FairLine', 'foundation/environments/fair-line.ts', 'class FairLine'],
    ['UploadTurns', 'batches/input/upload-turns.ts', 'class UploadTurns'],
    ['Pace', 'batches/run/pace.ts', 'class Pace '],
    ['AnswerPace', 'http/exchange/answer-pace.ts', 'class AnswerPace'],
    ['ConcurrencySlots', 'providers/transport/concurrency-limit.ts', 'class ConcurrencySlots'],
    ['MissAllowance', 'lookup/payment/miss-allowance.ts', 'class MissAllowance'],
    ['load guard', 'foundation/pacing/load-guard.ts', 'function watchLoad'],
    ['inTurns', 'credits/reports/usage-counts.ts', 'function* inTurns'],
    ['rests of erasures', 'database/postgres/pool-database.ts', 'function restAfterSteps'],
  ],
  caches: [
    ['RecordCache', 'lookup/recall/record-cache.ts', 'class RecordCache'],
    ['KeyCache', 'accounts/caller.ts', 'class KeyCache'],
    ['parsed queries', 'http/exchange/parse-lookup.ts', 'class LookupParser'],
    ['Cooldowns', 'lookup/asked/freshness.ts', 'class Cooldowns'],
    ['FieldLacks', 'lookup/recall/demands.ts', 'class FieldLacks'],
    ['remaining credits', 'app/deps/caller-deps.ts', 'const recent = new LRUCache'],
    ['samples', 'lookup/answer-sample.ts', 'const kept = new LRUCache'],
    ['price tables', 'credits/prices/compiled-book.ts', 'readonly #tables = new Map'],
    ['NotedVersions', 'credits/environment-lines.ts', 'class NotedVersions'],
    ['prepared statements', 'database/sqlite/connection/sqlite.ts', 'const prepared = new Map'],
    ['StatementNames', 'database/postgres/statement-names.ts', 'class StatementNames'],
    ['statement texts', 'database/sql/prepared.ts', 'byCount[count] ??='],
    ['connections to receivers', 'events/webhooks/delivery/post.ts', 'function keepConnections'],
  ],
  'leases and claims': [
    ['leases of work *', 'work/leases.ts', 'function claimLeases'],
    ['batches.lease *', 'batches/store/run-batches.ts', 'function renewBatches'],
    ['watches.lease *', 'watches/store/due-watches.ts', 'claimed_until: now + leaseMs'],
    ['leases table *', 'events/webhooks/store/sender-lease.ts', "updateTable('leases')"],
    ['upload renewals *', 'batches/store/submit-batch.ts', 'function renewUpload'],
    ['Redis fetch claims *', 'lookup/fetch/fetch-once-across-nodes.ts', 'const claimMs'],
    ['holds with renewals', 'credits/decision/settlement-requests.ts', 'interface Hold'],
    ['node heartbeats', 'cluster/node-registry.ts', 'class DatabaseNodeRegistry'],
  ],
  'single flights': [
    ['recalls', 'app/deps/caller-deps.ts', 'recalls: new SingleFlight'],
    ['fetches', 'app/deps/caller-deps.ts', 'flights: new SingleFlight'],
    ['usage', 'own-calls/usage.ts', '#flights = new SingleFlight<Usage>'],
  ],
  buses: [
    ['RedisPeers', 'cluster/redis-peers.ts', 'class RedisPeers'],
    ['alarms of nodes', 'cluster/node-registry.ts', 'interface AlarmListener'],
    ["the sender's emitter", 'app/deps/engine.ts', 'senderWork: EventEmitter'],
  ],
  'pollers and runners': [
    ['Runner', 'work/runner.ts', 'class Runner'],
    ['timed jobs', 'app/jobs/background-jobs.ts', 'const timers = jobs.map'],
    ['batch runner', 'batches/run/batch-runner.ts', 'class BatchRunner'],
    ['webhook sender', 'events/webhooks/sender.ts', '#round: Promise<void> | null'],
    ['FileWatch', 'database/sqlite/file-watch.ts', 'class FileWatch'],
    ['DiskRoom', 'app/deps/disk-room.ts', 'class DiskRoom'],
    ['Redis probe', 'cluster/redis.ts', 'const probeEveryMs'],
  ],
  'threads and processes': [
    ['main', 'main.ts', 'function serve'],
    ['store thread', 'database/sqlite/open-sqlite-store.ts', 'startThread ='],
    ['checkpoint thread', 'database/sqlite/background-checkpoint.ts', "moduleUrl('./checkpoint-thread'"],
    ['copy thread', 'database/sqlite/connection/copy-sqlite.ts', "moduleUrl('./copy-thread'"],
    ['report processes', 'database/sqlite/reader/reports.ts', 'class ReportProcess'],
    ['reader process', 'database/sqlite/reader/reader.ts', 'return fork(script'],
    ['cluster workers', 'app/workers/run-workers.ts', 'class WorkerGroup'],
  ],
}

/** The ways to run SQL for data, in the same form. */
export const sqlWays: readonly Row[] = [
  ['Kysely', 'database/sqlite/connection/sqlite.ts', 'new Kysely<Tables>'],
  ['prepared statements', 'database/sql/prepared.ts', 'function runPrepared'],
  ['rawStatement', 'database/sql/raw-statement.ts', 'function rawStatement('],
  ['rawStatementList, with a text cache', 'database/sql/raw-statement.ts', 'function rawStatementList('],
  ['lists of rows, with a text cache', 'database/sql/prepared.ts', 'const texts = new Map<string, string>'],
  ['selects compiled once, with a text cache', 'database/sql/prepared.ts', 'const selects = new Map'],
  ['text given to a connection', 'credits/store/settle.ts', 'statements.db.send('],
]
