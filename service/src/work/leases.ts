import { sql, type RawBuilder } from 'kysely'
import type { Connection, Dialect } from '../database/engine/dialect.ts'
import { single, type Subject } from '../database/engine/operation.ts'
import { padded, runPrepared } from '../database/sql/prepared.ts'

/** The columns that hold the leases of one kind of work. `until` is 0 while nobody works on it. */
interface LeaseColumns {
  table: 'batches' | 'watches' | 'leases' | 'exports'
  key: string
  until: string
  /** The fencing number. */
  number: string
  /** The node that has claimed it, for operators. */
  holder?: string
}

/**
 * The leases of every kind of work. A lease stands in the row of its work, in the columns of earlier versions, so that
 * nodes of two versions never work on the same row. An upload has the lease of the batch that it becomes.
 */
const columnsOf = {
  batches: { table: 'batches', key: 'public_id', until: 'lease_until', number: 'lease', holder: 'runner' },
  watches: { table: 'watches', key: 'id', until: 'claimed_until', number: 'lease' },
  exports: { table: 'exports', key: 'id', until: 'lease_until', number: 'lease', holder: 'runner' },
  senders: { table: 'leases', key: 'name', until: 'expires_at', number: 'number', holder: 'holder' },
} as const satisfies Record<string, LeaseColumns>
export type WorkKind = keyof typeof columnsOf
const kinds = Object.keys(columnsOf) as WorkKind[]

/** A claim on a piece of work. Each claim raises its fencing number, so work under an older claim is recognised. */
export interface Lease {
  of: WorkKind
  id: string
  number: number
}

interface Claim {
  ids: readonly string[]
  leaseMs: number
  holder?: string
  /** The service's own clock; the database's if it is absent. */
  now?: number
}

function names(of: WorkKind) {
  const { table, key, until, number, holder }: LeaseColumns = columnsOf[of]
  const ref = (column: string) => sql.ref<number>(column)
  return { table: sql.table(table), key: sql.ref<string>(key), until: ref(until), number: ref(number), holder }
}

function timeOf(dialect: Dialect, now?: number): RawBuilder<number> {
  return now === undefined ? dialect.now() : sql<number>`cast(${now} as bigint)`
}

/** Whether nobody works on a row. A lease that ends later than possible was written before the clock was set back. */
export function isFree(dialect: Dialect, of: WorkKind, { leaseMs, now }: { leaseMs: number; now?: number }) {
  const { until } = names(of)
  const time = timeOf(dialect, now)
  return sql<boolean>`(${until} <= ${time} or ${until} > ${time} + ${sql.lit(2 * leaseMs)})`
}

/**
 * Claims the free ones among these rows, and returns their new fencing numbers. The caller holds the lock of the
 * environment that pays, as a settlement does: so payments under the old number are committed before or refused.
 */
export async function claimLeases(
  { db, dialect }: Connection,
  of: WorkKind,
  claim: Claim,
): Promise<Map<string, number>> {
  if (claim.ids.length === 0) return new Map()
  const { table, key, until, number, holder } = names(of)
  const held = holder === undefined ? sql`` : sql`, ${sql.ref(holder)} = ${claim.holder ?? ''}`
  const { rows } = await sql<{ id: string; number: number }>`update ${table}
    set ${until} = ${timeOf(dialect, claim.now)} + ${sql.lit(claim.leaseMs)}, ${number} = ${number} + 1${held}
    where ${key} in (${sql.join(claim.ids)}) and ${isFree(dialect, of, claim)}
    returning ${key} as id, ${number} as number`.execute(db)
  return new Map(rows.map((row) => [row.id, row.number]))
}

/** Renews leases that are still the newest, and returns their ids. Finished work is not renewed. */
async function renewLeases(
  { db, dialect }: Connection,
  { of, leases, leaseMs }: { of: WorkKind; leases: readonly Omit<Lease, 'of'>[]; leaseMs: number },
): Promise<string[]> {
  if (leases.length === 0) return []
  const { table, key, until, number } = names(of)
  const own = leases.map((lease) => sql`(${key} = ${lease.id} and ${number} = ${lease.number})`)
  const { rows } = await sql<{ id: string }>`update ${table}
    set ${until} = ${dialect.now()} + ${sql.lit(leaseMs)}
    where ${until} > 0 and (${sql.join(own, sql` or `)}) returning ${key} as id`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Keeps a lease that this process holds, or claims it: its number, or null if another process has it. It is written only
 * if less than half of its time is left.
 */
async function holdLease(
  connection: Connection,
  { of, id, held, ...claim }: { of: WorkKind; id: string; held: number | null; holder: string; leaseMs: number },
): Promise<number | null> {
  const { table, key, until, number } = names(of)
  const { leaseMs } = claim
  const { rows } = await sql<{
    left_ms: number
  }>`select ${until} - ${connection.dialect.now()} as left_ms from ${table}
    where ${key} = ${id} and ${number} = ${held}`.execute(connection.db)
  if (Number(rows[0]?.left_ms ?? 0) > leaseMs / 2) return held
  const leases = held === null ? [] : [{ id, number: held }]
  if ((await renewLeases(connection, { of, leases, leaseMs })).length > 0) return held
  return (await claimLeases(connection, of, { ids: [id], ...claim })).get(id) ?? null
}

/** Keeps or claims the lease of a kind of work that has no row of its own; null if another process has it. */
export async function takeLease(
  connection: Connection,
  { name, holder, held, leaseMs }: { name: string; holder: string; held: Lease | null; leaseMs: number },
): Promise<Lease | null> {
  const row = { name, holder, expires_at: 0 }
  if (!held)
    await connection.db
      .insertInto('leases')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  const one = { of: 'senders', id: name } as const
  const number = await holdLease(connection, { ...one, held: held?.number ?? null, holder, leaseMs })
  return number === null ? null : { ...one, number }
}

/** Ends a lease; false if it is not the newest, so that the caller records nothing under it. */
export async function endLease({ db }: Connection, lease: Lease): Promise<boolean> {
  const { table, key, until, number } = names(lease.of)
  const { rows } = await sql`update ${table} set ${until} = 0
    where ${key} = ${lease.id} and ${number} = ${lease.number} returning ${key}`.execute(db)
  return rows.length > 0
}

/** Whether a lease is still the newest. It stays so until the asking transaction ends. */
export async function isNewest({ db, dialect }: Connection, lease: Lease): Promise<boolean> {
  const { table, key, number } = names(lease.of)
  const { rows } = await sql`select ${key} from ${table} where ${key} = ${lease.id} and ${number} = ${lease.number}
    ${dialect.locksRows ? sql`for share` : sql``}`.execute(db)
  return rows.length > 0
}

/**
 * The requests whose lease is not the newest. A lease gets its next number under the same environment lock that a
 * settlement holds. So the new owner sees everything paid before, and the old one pays nothing afterwards.
 */
export async function findSuperseded<Request extends { lease?: Lease }>(
  { db, dialect }: Connection,
  requests: readonly Request[],
): Promise<ReadonlySet<Request>> {
  const superseded = new Set<Request>()
  const find = async (of: WorkKind, leased: readonly Request[]) => {
    const ids = padded(leased.map(({ lease }) => lease?.id ?? ''))
    const { table, key, number } = columnsOf[of]
    const text = `select ${key} as id, ${number} as number from ${table} where ${key} in ([items])`
    const rows = await runPrepared<Omit<Lease, 'of'>>(db, dialect, { text, item: '?', count: ids.length }, ids)
    const newest = new Map(rows.map((row) => [row.id, row.number]))
    for (const request of leased)
      if (newest.get(request.lease?.id ?? '') !== request.lease?.number) superseded.add(request)
  }
  const byKind = Map.groupBy(requests, ({ lease }) => lease?.of)
  await Promise.all([...byKind].flatMap(([of, leased]) => (of ? [find(of, leased)] : [])))
  return superseded
}

/** The embedded engine belongs to one process: at its start, the work of a dead process is free at once. */
async function freeLeases({ db }: Connection, _args: null): Promise<void> {
  for (const of of kinds) {
    const { table, until } = names(of)
    // Not 0: an upload whose lease is over is discarded.
    await sql`update ${table} set ${until} = 1 where ${until} > 1`.execute(db)
  }
}

export const leaseOperations = {
  renewLeases: single(renewLeases),
  endLease: single(endLease),
  freeLeases: single(freeLeases),
}
export type LeaseStore = Subject<typeof leaseOperations>
