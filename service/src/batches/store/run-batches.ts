import { type Selectable, sql } from 'kysely'
import type { Connection, Database } from '../../database/engine/dialect.ts'
import type { BatchResultRow } from '../../database/tables/batches.ts'
import { outOfMoney } from '../../foundation/failure.ts'
import { completeBatch, notifyResumed } from './end-batches.ts'
import type { StoredBatch } from './submit-batch.ts'
import { isWorkStopped } from '../../database/sql/stopped-work.ts'
import { insertRows, padded, selectIn } from '../../database/sql/prepared.ts'
import { lockEnvironments } from '../../database/sql/lock-environments.ts'
import { chooseFairly } from '../../work/choose-fairly.ts'
import { claimLeases, isFree } from '../../work/leases.ts'

interface Claim {
  node: string
  now: number
  leaseMs: number
  /** The longest pause: a later time was written by a wrong clock. */
  pauseAtMostMs: number
  limit: number
  /** The maximum number of concurrent batches of one environment, on all nodes. */
  ofEnvironment: number
  /** Batches with rows in progress from a lease that this node lost: it cannot continue them now. */
  except: readonly number[]
}

/**
 * Claims batches that no living node runs: new ones, those whose pause is over, and those of dead nodes. Environments
 * take turns, however many batches they have.
 */
export async function claimBatches(database: Database, claim: Claim): Promise<StoredBatch[]> {
  if (await database.read(({ db }) => isWorkStopped(db))) return []
  const taken: StoredBatch[] = []
  for (const free of await database.read((connection) => freeForClaim(connection, claim))) {
    const batch = await database.write(async (connection) => {
      await lockEnvironments(connection.db, connection.dialect, [free.account_id])
      return claimOne(connection, free, claim)
    })
    if (batch) taken.push(batch)
  }
  return taken
}

async function claimOne(
  connection: Connection,
  { id, public_id }: FreeBatch,
  { node: holder, now, leaseMs }: Claim,
): Promise<StoredBatch | null> {
  const batch = await connection.db
    .updateTable('batches')
    .set({
      status: 'running',
      reason: null,
      resume_at: null,
      started_at: sql<number>`coalesce(started_at, ${now})`,
      claimed_at: now,
      claimed_done: sql<number>`found + not_found + invalid + failed`,
    })
    .where('id', '=', id)
    .where(isFree(connection.dialect, 'batches', { leaseMs }))
    .where('status', 'in', ['queued', 'running', 'paused'])
    .returningAll()
    .executeTakeFirst()
  const numbers = await claimLeases(connection, 'batches', { ids: batch ? [public_id] : [], leaseMs, holder })
  const lease = numbers.get(public_id)
  return batch && lease !== undefined ? { ...batch, lease } : null
}

interface FreeBatch {
  id: number
  public_id: string
  account_id: number
  /** How many batches of its environment run on any node. */
  running: number
}

/** Free batches that may run now; environments with the fewest running batches come first. */
async function freeForClaim({ db, dialect }: Connection, claim: Claim): Promise<FreeBatch[]> {
  const { now, limit, leaseMs, pauseAtMostMs, ofEnvironment, except } = claim
  const others = except.length === 0 ? sql`` : sql`and id not in (${sql.join(except)})`
  const { rows } = await sql<FreeBatch>`
    select id, public_id, placed.account_id, coalesce(running.count, 0) as running
    from (
      select id, public_id, account_id, row_number() over (partition by account_id order by id) as place
      from batches
      where ${isFree(dialect, 'batches', { leaseMs })} ${others} and (status in ('queued', 'running')
        or (status = 'paused' and (resume_at <= ${now} or resume_at > ${now + pauseAtMostMs})))
    ) as placed
    left join (
      select account_id, count(*) as count from batches
      where status = 'running' and lease_until >= ${dialect.now()} group by account_id
    ) as running on running.account_id = placed.account_id
    where place <= ${ofEnvironment} order by id`.execute(db)
  const running = new Map(rows.map((row) => [row.account_id, row.running]))
  return chooseFairly(rows, running, { limit, mostOf: () => ofEnvironment })
}

export type BatchResult = Omit<Selectable<BatchResultRow>, 'batch_id'>

const waitsForMoney: ReadonlySet<string> = new Set([...outOfMoney, 'max_credits_reached'])
const endedStatuses = ['completed', 'cancelled', 'failed']

interface SaveResults {
  id: number
  /** The lease of the run. */
  lease: number
  results: BatchResult[]
  answered: boolean
  at: number
  expiresAt: number
}

/**
 * Writes results; null if the run has lost its lease. Then the next run gets the same answers without another charge:
 * it has read what the batch has spent, and would exceed `max_credits` if results were added to it. Each row and each
 * charge counts once: of the rows that share a charge, the first written one shows it and the others show 0. The last
 * row completes the batch.
 */
export async function saveBatchResults(
  connection: Connection,
  { id, lease, results, answered, at, expiresAt }: SaveResults,
): Promise<{ status: StoredBatch['status']; credits: number } | null> {
  const { db: tx, dialect } = connection
  // Written first, so that no other transaction counts the same rows or claims the batch meanwhile.
  const working = answered ? { backoffs: 0, failing_since: null } : { key_id: sql<string>`key_id` }
  const own = tx.updateTable('batches').set(working).where('id', '=', id).where('lease', '=', lease)
  if ((await own.executeTakeFirst()).numUpdatedRows === 0n) return null
  const { added, late } = await insertMissing(connection, id, await chargedOnce(connection, id, results))
  const count = (status: BatchResult['status']) => added.filter((row) => row.status === status).length
  const batch = await tx
    .updateTable('batches')
    .set({
      found: sql<number>`found + ${count('found')}`,
      not_found: sql<number>`not_found + ${count('not_found')}`,
      invalid: sql<number>`invalid + ${count('invalid')}`,
      failed: sql<number>`failed + ${count('failed')}`,
      credits: sql<number>`credits + ${[...added, ...late].reduce((sum, row) => sum + row.credits, 0)}`,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  if (!batch) return null
  if (goesOn(batch, added, answered)) await notifyResumed(tx, dialect, batch, at)
  const isWhole = batch.found + batch.not_found + batch.invalid + batch.failed >= batch.total
  if (!isWhole || endedStatuses.includes(batch.status)) return { status: batch.status, credits: batch.credits }
  await completeBatch(tx, dialect, batch, { at, expiresAt })
  return { status: 'completed', credits: batch.credits }
}

/** Free rows do not show that credits are available again. */
function goesOn({ told_pause: pause }: StoredBatch, added: readonly BatchResult[], answered: boolean): boolean {
  if (pause === null || added.length === 0) return false
  return answered || !waitsForMoney.has(pause) || added.some(({ credits }) => credits > 0)
}

/** The results, with each charge in exactly one of them, or in none if the batch has already counted it. */
async function chargedOnce(
  connection: Connection,
  id: number,
  results: readonly BatchResult[],
): Promise<BatchResult[]> {
  const requests = results.flatMap(({ credits, request_id }) =>
    credits > 0 && request_id !== null ? [request_id] : [],
  )
  if (requests.length === 0) return [...results]
  const ids = padded(requests)
  const there = await selectIn(connection, 'counted results', [[id], ids], () =>
    connection.db
      .selectFrom('batch_results')
      .select('request_id')
      .where('batch_id', '=', id)
      .where('request_id', 'in', ids),
  )
  const counted = new Set(there.map(({ request_id }) => request_id))
  return results.map((result) => {
    if (result.credits === 0 || result.request_id === null) return result
    if (counted.has(result.request_id)) return { ...result, credits: 0 }
    counted.add(result.request_id)
    return result
  })
}

const resultColumns = [
  'number',
  'status',
  'error',
  'detail',
  'source',
  'fetched_at',
  'credits',
  'request_id',
  'version_id',
  'fold_id',
  'likelihood',
  'matched_on',
] as const satisfies readonly (keyof BatchResult)[]

/**
 * Inserts the results of rows without one. `late`: an erasure ended the row after it was paid for and before its result
 * arrived. Its cost counts, and its request is recorded so that it counts once.
 */
async function insertMissing(
  connection: Connection,
  id: number,
  results: readonly BatchResult[],
): Promise<{ added: BatchResult[]; late: BatchResult[] }> {
  if (results.length === 0) return { added: [], late: [] }
  const { db: tx } = connection
  const numbers = padded(results.map(({ number }) => number))
  const there = await selectIn(connection, 'written results', [[id], numbers], () =>
    tx
      .selectFrom('batch_results')
      .select(['number', 'status', 'request_id'])
      .where('batch_id', '=', id)
      .where('number', 'in', numbers),
  )
  const known = new Map(there.map((row) => [row.number, row]))
  const missing = results.filter(({ number }) => !known.has(number))
  await insertRows(
    connection,
    {
      table: 'batch_results',
      columns: ['batch_id', ...resultColumns],
      put: (row, values) => values.push(id, ...resultColumns.map((name) => row[name])),
    },
    missing,
  )
  const late = results.filter(({ number, credits }) => {
    const row = known.get(number)
    return credits > 0 && row?.status === 'not_found' && row.request_id === null
  })
  for (const { number, request_id } of late)
    await tx
      .updateTable('batch_results')
      .set({ request_id })
      .where('batch_id', '=', id)
      .where('number', '=', number)
      .execute()
  return { added: missing, late }
}
