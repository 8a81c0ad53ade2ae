import { read, single, type Operations, type Subject } from '../database/engine/operation.ts'
import { sql } from 'kysely'
import type { Connection } from '../database/engine/dialect.ts'
import { dayMs } from '../foundation/clock.ts'

/** The nodes as the database knows them. */
export interface ClusterState {
  /** The number of living nodes, and this node's position among them, from 0. */
  nodes: number
  rank: number
  /** The newest alarm, and the number of living nodes that have not acted on it yet. */
  alarm: number
  behind: number
  /** The other living nodes, with the number of their notices of windows; null = a node of an earlier version. */
  others: { id: string; notices: number | null }[]
  /** The number of other living nodes without Redis. */
  othersCutOff: number
  /** How long ago any node, living or dead, was last without Redis; null = never. */
  cutOffAgoMs: number | null
  /** The database's time of this heartbeat. */
  databaseAt: number
}

interface Beat {
  id: string
  heard: number
  notices: number
  cutOff: boolean
  aliveWithinMs: number
}

const alarmName = 'alarm'
const forgottenAfterMs = dayMs

/** Records a heartbeat and the last alarm that the node has acted on; returns the state of all nodes. */
async function beat({ db, dialect }: Connection, args: Beat): Promise<ClusterState> {
  const now = dialect.now()
  const noted = {
    seen_at: now,
    heard: args.heard,
    notices: args.notices,
    serves: 1,
    ...(args.cutOff ? { cut_off_at: now } : {}),
  }
  const own = await db
    .insertInto('nodes')
    .values({ id: args.id, ...noted })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(noted))
    .returning('seen_at')
    .executeTakeFirstOrThrow()
  const rows = await db.selectFrom('nodes').selectAll().orderBy('id').execute()
  const alarm = await readAlarm(db)
  const living = rows.filter((row) => row.seen_at > own.seen_at - args.aliveWithinMs)
  const cutOffAt = Math.max(0, ...rows.map((row) => row.cut_off_at))
  // It is written with `seen_at`, so it equals the node's last heartbeat only while the node is cut off.
  const isCutOff = (row: { seen_at: number; cut_off_at: number }) => row.cut_off_at >= row.seen_at
  const others = living.filter((row) => row.id !== args.id)
  return {
    nodes: Math.max(1, living.length),
    rank: living.findIndex((row) => row.id === args.id),
    alarm,
    behind: living.filter((row) => row.heard < alarm).length,
    others: others.map(({ id, notices }) => ({ id, notices: notices === null ? null : Number(notices) })),
    othersCutOff: others.filter(isCutOff).length,
    cutOffAgoMs: cutOffAt === 0 ? null : Math.max(0, own.seen_at - cutOffAt),
    databaseAt: own.seen_at,
  }
}

async function readAlarm(db: Connection['db']): Promise<number> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', alarmName).executeTakeFirst()
  return Number(row?.value ?? 0)
}

/** Raises an alarm that every living node will act on; returns its number. */
async function raiseAlarm({ db }: Connection, _args: null): Promise<number> {
  const next = sql<string>`cast(cast(settings.value as bigint) + 1 as text)`
  const row = await db
    .insertInto('settings')
    .values({ name: alarmName, value: '1' })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: next }))
    .returning('value')
    .executeTakeFirstOrThrow()
  return Number(row.value)
}

/**
 * Records that a node stops, so that its share of the limits goes to the others. It also deletes rows of long-dead
 * nodes.
 */
async function endNode({ db, dialect }: Connection, { id }: { id: string }): Promise<void> {
  const forgotten = sql<number>`${dialect.now()} - ${sql.lit(forgottenAfterMs)}`
  // The row stays for a while, because it knows when a node was last cut off.
  await db.updateTable('nodes').set({ seen_at: 0 }).where('id', '=', id).execute()
  await db.deleteFrom('nodes').where('seen_at', '<', forgotten).where('cut_off_at', '<', forgotten).execute()
}

/** Stores a value under a name unless there is one; returns the stored value. */
async function ensureSetting({ db }: Connection, args: { name: string; value: string }): Promise<string> {
  await db
    .insertInto('settings')
    .values(args)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const row = await db.selectFrom('settings').select('value').where('name', '=', args.name).executeTakeFirstOrThrow()
  return row.value
}

async function readSetting({ db }: Connection, args: { name: string }): Promise<string | null> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', args.name).executeTakeFirst()
  return row?.value ?? null
}

async function writeSetting({ db }: Connection, args: { name: string; value: string }): Promise<void> {
  await db
    .insertInto('settings')
    .values(args)
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: args.value }))
    .execute()
}

/** The nodes that share a database. */
export const nodeOperations = {
  beat: single(beat, 'quick'),
  raiseAlarm: single(raiseAlarm, 'quick'),
  endNode: single(endNode, 'quick'),
} satisfies Operations
export type NodeStore = Subject<typeof nodeOperations>

/** Values that all nodes share, by name. */
export const settingOperations = {
  ensureSetting: single(ensureSetting),
  readSetting: read(readSetting),
  writeSetting: single(writeSetting),
} satisfies Operations
export type SettingStore = Subject<typeof settingOperations>
