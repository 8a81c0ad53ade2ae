import type { Connection } from '../../database/dialect.ts'
import { insertRows, type Value } from '../../database/sql/bulk-rows.ts'
import { type KeptCall, putShared, sharedColumns } from './write-ledger.ts'

/** One answered or failed call in the call log. */
export type LoggedCall = KeptCall & {
  mode: 'live' | 'test'
  status: number
  code?: string | null
  tag?: string | null
  /** The number of further identical calls that this row stands for. */
  repeats?: number
}

const loggedCalls = {
  table: 'calls',
  columns: [...sharedColumns, 'mode', 'status', 'code', 'repeats', 'tag'],
  put(call: LoggedCall, values: Value[]): void {
    putShared(call, values)
    values.push(call.mode, call.status, call.code ?? null, call.repeats ?? null, call.tag ?? null)
  },
  onConflict: 'on conflict (request_id) do nothing',
} as const

/**
 * Logs calls that the ledger does not: failures, calls with test keys, and replays found by a check or a hold. A
 * request that already has a receipt keeps it.
 */
export async function logCalls(connection: Connection, { calls }: { calls: LoggedCall[] }): Promise<void> {
  await insertRows(connection, loggedCalls, calls)
}
