import type { Connection } from '../../database/engine/dialect.ts'
import { insertRows, type Value } from '../../database/sql/prepared.ts'
import { type KeptCall, putShared, sharedColumns } from './write-ledger.ts'
import { lockEnvironments } from '../../database/sql/lock-environments.ts'

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

interface RegisterTag {
  environmentId: number
  /** UTC, `2026-11-14`. */
  day: string
  tag: string
  atMost: number
}

/**
 * Records that an environment uses a tag on this day, unless the limit is reached. Returns whether the tag is counted
 * under its own name, and the tags to remember: all of them if the day is full, otherwise this one.
 */
export async function registerTag(
  { db: tx, dialect }: Connection,
  { environmentId, day, tag, atMost }: RegisterTag,
): Promise<{ counted: boolean; tags: string[] }> {
  // The lock prevents two nodes from both taking the last free place.
  await lockEnvironments(tx, dialect, [environmentId])
  const ofEnvironment = tx.selectFrom('spend_tags').where('account_id', '=', environmentId)
  const rows = await ofEnvironment.select('tag').where('day', '=', day).execute()
  const tags = rows.map((row) => row.tag)
  if (tags.includes(tag)) return { counted: true, tags: tags.length >= atMost ? tags : [tag] }
  if (tags.length >= atMost) return { counted: false, tags }
  if (tags.length === 0)
    await tx.deleteFrom('spend_tags').where('account_id', '=', environmentId).where('day', '<', day).execute()
  await tx.insertInto('spend_tags').values({ account_id: environmentId, day, tag }).execute()
  return { counted: true, tags: tags.length + 1 >= atMost ? [...tags, tag] : [tag] }
}
