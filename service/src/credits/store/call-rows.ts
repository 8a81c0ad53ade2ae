import type { DataSource, Kind } from '@vitae/contract'
import type { Connection } from '../../database/dialect.ts'
import type { CallRow } from '../../database/tables/calls.ts'
import type { BilledCall } from '../decision/ledger-draft.ts'
import { insertRows, type Value } from '../../database/sql/bulk-rows.ts'

/** One call as the log keeps it, answered or failed. */
export interface LoggedCall {
  requestId: string
  at: number
  mode: 'live' | 'test'
  keyId: string
  environmentId: number
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
  tag?: string | null
  /** How many further calls just like it this one stands for. */
  repeats?: number
}

const sharedColumns = [
  'request_id',
  'at',
  'key_id',
  'account_id',
  'kind',
  'source',
  'credits',
  'identifier',
  'entity_id',
  'version_id',
  'fetch_id',
  'replay_of',
  'duration_ms',
] as const satisfies readonly (keyof CallRow)[]

function putShared(call: BilledCall | LoggedCall, values: Value[]): void {
  values.push(
    call.requestId,
    call.at,
    call.keyId,
    call.environmentId,
    call.kind,
    call.source,
    call.credits,
    call.identifier,
    call.entityId,
    call.versionId,
    call.fetchId,
    call.replayOf,
    call.durationMs,
  )
}

/** The calls of a settlement: each was answered, and with a live key. */
export const billedCalls = {
  table: 'calls',
  columns: [...sharedColumns, 'price'],
  fixed: { mode: `'live'`, status: '200' },
  put(call: BilledCall, values: Value[]): void {
    putShared(call, values)
    values.push(call.price)
  },
} as const

/** Those with a tag: the others neither bind nor store one. */
export const taggedCalls = {
  ...billedCalls,
  columns: [...sharedColumns, 'price', 'tag'],
  put(call: BilledCall, values: Value[]): void {
    putShared(call, values)
    values.push(call.price, call.tag)
  },
} as const

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
 * Keeps calls that the ledger has no part in: failures, test keys, and replays found by a check or a hold.
 * A request that already has its receipt keeps it.
 */
export async function logCalls(connection: Connection, { calls }: { calls: LoggedCall[] }): Promise<void> {
  await insertRows(connection, loggedCalls, calls)
}
