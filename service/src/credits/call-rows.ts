import type { DataSource, Kind } from '@vitae/contract'
import type { Database } from '../foundation/database/dialect.ts'
import type { CallRow } from '../foundation/database/tables.ts'
import { insertRows } from './rows.ts'

/** One call as the log keeps it, whatever its end. */
export interface LoggedCall {
  requestId: string
  at: number
  mode: 'live' | 'test'
  keyId: string
  accountId: number
  kind: Kind
  status: number
  code?: string | null
  source: DataSource | null
  credits: number
  identifier: string | null
  entityId: number | null
  versionId: number | null
  fetchId: number | null
  replayOf: string | null
  durationMs: number | null
}

export const callColumns = [
  'request_id',
  'at',
  'mode',
  'key_id',
  'account_id',
  'kind',
  'status',
  'code',
  'source',
  'credits',
  'identifier',
  'entity_id',
  'version_id',
  'fetch_id',
  'replay_of',
  'duration_ms',
] as const satisfies readonly (keyof CallRow)[]

/** The row of a call. */
export function callRow(call: LoggedCall): CallRow {
  return {
    request_id: call.requestId,
    at: call.at,
    mode: call.mode,
    key_id: call.keyId,
    account_id: call.accountId,
    kind: call.kind,
    status: call.status,
    code: call.code ?? null,
    source: call.source,
    credits: call.credits,
    identifier: call.identifier,
    entity_id: call.entityId,
    version_id: call.versionId,
    fetch_id: call.fetchId,
    replay_of: call.replayOf,
    duration_ms: call.durationMs,
  }
}

/**
 * Keeps calls that the ledger has no part in: failures, test keys, and replays found by a check or a hold.
 * A request that already has its receipt keeps it.
 */
export async function logCalls(database: Database, { calls }: { calls: LoggedCall[] }): Promise<void> {
  const onConflict = 'on conflict (request_id) do nothing'
  await database.db
    .transaction()
    .execute((tx) =>
      insertRows(tx, database.dialect, { table: 'calls', columns: callColumns, onConflict }, calls.map(callRow)),
    )
}
