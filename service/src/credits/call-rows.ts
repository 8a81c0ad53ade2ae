import type { DataSource, Kind } from '@vitae/contract'
import type { Database } from '../foundation/database/dialect.ts'
import type { CallRow } from '../foundation/database/tables.ts'
import { insertRows, type Value } from './rows.ts'
import { inTransaction } from './statements.ts'

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

/** The row of a call, in the order of `callColumns`. */
export function callValues(call: LoggedCall): Value[] {
  return [
    call.requestId,
    call.at,
    call.mode,
    call.keyId,
    call.accountId,
    call.kind,
    call.status,
    call.code ?? null,
    call.source,
    call.credits,
    call.identifier,
    call.entityId,
    call.versionId,
    call.fetchId,
    call.replayOf,
    call.durationMs,
  ]
}

/**
 * Keeps calls that the ledger has no part in: failures, test keys, and replays found by a check or a hold.
 * A request that already has its receipt keeps it.
 */
export async function logCalls(database: Database, { calls }: { calls: LoggedCall[] }): Promise<void> {
  const onConflict = 'on conflict (request_id) do nothing'
  await inTransaction(database, (statements) =>
    insertRows(statements, { table: 'calls', columns: callColumns, onConflict }, calls.map(callValues)),
  )
}
