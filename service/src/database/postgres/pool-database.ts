import { setTimeout as sleep } from 'node:timers/promises'
import { CompiledQuery, Kysely, PostgresDialect, sql, type PostgresPool } from 'kysely'
import type { Connection, Database, Dialect, RunStatement, Tx } from '../engine/dialect.ts'
import { postgresDialect } from './postgres-dialect.ts'
import type { Tables } from '../tables/tables.ts'
import { GroupedTransaction } from './grouped-transaction.ts'
import type { PooledKysely } from './postgres.ts'

interface Options {
  dialect?: Dialect
  isPooled?: boolean
  onSenderWork?: (() => void) | undefined
}

/**
 * Operations over a pool of connections. Transactions run concurrently there, and a shared one would only hold the
 * locks of all its work, so none is shared. Operations that callers wait for take as few round trips as possible.
 */
export function poolDatabase(
  db: PooledKysely,
  { dialect = postgresDialect, isPooled = false, onSenderWork }: Options = {},
): Database {
  const outside = connectionOf(db, dialect)
  const alone: Database['single'] = (work) => work(outside)
  /** Runs work in a transaction, and afterwards wakes the webhook sender if there is work for it. */
  const waking = async <Result>(
    transact: (work: (connection: Connection) => Promise<Result>) => Promise<Result>,
    work: (connection: Connection) => Promise<Result>,
  ): Promise<Result> => {
    let wakesSender = false
    const result = await transact(async (connection) => {
      const done = await work(connection)
      wakesSender = connection.db.wakesSender ?? false
      return done
    })
    if (wakesSender) onSenderWork?.()
    return result
  }
  const write: Database['write'] = (work) =>
    waking((waked) => db.transaction().execute((tx) => waked(connectionOf(tx, dialect))), work)
  const share: Database['share'] = (_sharing, work) => waking((waked) => inGroups(db, dialect, waked), work)
  const read: Database['read'] = (work, reportMs) => {
    if (reportMs === undefined) return work(outside)
    const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
    return snapshot.execute(async (tx) => {
      await sql`set local statement_timeout = ${sql.lit(reportMs)}`.execute(tx)
      return work({ ...connectionOf(tx, dialect), rest: restAfterSteps() })
    })
  }
  return { dialect, isPooled, read, single: alone, write, share }
}

/** A step is followed by a pause of this many times its duration, so that callers have most of a busy PostgreSQL. */
const restPerStep = 3
/** The server ends a transaction that stands still for 1.5 s. */
const restAtMostMs = 300

function restAfterSteps(): () => Promise<void> {
  let beganAt = performance.now()
  return async () => {
    await sleep(Math.min(restAtMostMs, restPerStep * (performance.now() - beganAt)))
    beganAt = performance.now()
  }
}

function connectionOf(db: Kysely<Tables>, dialect: Dialect): Connection {
  return { db: withRun(db), dialect }
}

/** Prepared statements use the same path as Kysely's: the pool keeps them by their text. */
export function withRun(db: Kysely<Tables>): Tx {
  const run: RunStatement = async (text, parameters) =>
    (await db.executeQuery(CompiledQuery.raw(text, [...parameters]))).rows
  return Object.assign(db, { run, send: run })
}

/** Runs work in a transaction whose statements are sent in groups. */
async function inGroups<Result>(
  { pool }: PooledKysely,
  dialect: Dialect,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  const transaction = new GroupedTransaction(client.runGroup, pool.begin)
  let isUnclear = false
  try {
    const result = await work({ db: overTransaction(transaction), dialect })
    await transaction.commit()
    return result
  } catch (error) {
    await transaction.rollback().catch(() => (isUnclear = true))
    throw error
  } finally {
    // The server undoes a transaction when its connection ends.
    client.release(isUnclear)
  }
}

function overTransaction({ run, send }: GroupedTransaction): Tx {
  const client = { query: run, release: () => undefined }
  const pool = { connect: async () => client, end: async () => undefined, options: {} } as unknown as PostgresPool
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  return Object.assign(db, {
    run: async (...statement: Parameters<RunStatement>) => (await run(...statement)).rows,
    send,
  })
}
