import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { isLostConnection } from '../lost-connection.ts'
import type { Tables } from '../tables/tables.ts'
import type { StatementNames } from './statement-names.ts'

// Counts and ids stay far below 2^53, so a bigint column is a plain number on this side.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

/** A server that reports commits before they are on disk loses charges in a crash, so its default does not count here. */
const durable = (onlyThisTransaction: boolean) => `select set_config('synchronous_commit', 'on', ${onlyThisTransaction})
  where current_setting('synchronous_commit') = 'off'`

/** How many connections a pool has, and how long a statement on them may wait. */
export interface PoolLimits {
  connections: number
  statementMs: number
  /** How long a statement waits for a lock; 0 = as long as it may run. */
  lockMs: number
  /** How long the server lets a transaction stand still before it ends it, and frees its locks. */
  idleInTransactionMs: number
}

/** A node that is frozen inside a transaction must stall nobody for 2 s, and a waiting statement must outlast it. */
const standstillMs = 1_500

/** What stands between a caller and the answer: a database that does not answer must soon become a 503. */
export const quick: PoolLimits = {
  connections: 10,
  statementMs: 4_000,
  // Below the limit of a statement, because it says for certain that nothing was done.
  lockMs: 3_500,
  idleInTransactionMs: standstillMs,
}
/** What operators and jobs start: reading through a whole table may take its time. */
export const patient: PoolLimits = {
  connections: 4,
  statementMs: 10 * 60_000,
  lockMs: 0,
  idleInTransactionMs: standstillMs,
}
/** A command that has the database for itself, such as a move: long pauses inside a transaction harm nobody. */
const offline: PoolLimits = { ...patient, idleInTransactionMs: 60_000 }

/** How statements are sent. */
export interface Sending {
  /** Null where statements get no names. */
  names: StatementNames | null
  /** A pooler gives each transaction another session: then every transaction brings its limits along. */
  perTransaction: boolean
}
const plainly: Sending = { names: null, perTransaction: false }

/** Opens the scale-out engine. Every wait is bounded, so that a lost database turns into a 503 and not into a queue. */
export function openPostgres(
  url: string,
  onError: (error: Error) => void,
  limits: PoolLimits = offline,
  sending: Sending = plainly,
): { db: Kysely<Tables>; pool: pg.Pool } {
  const { connections, statementMs, lockMs, idleInTransactionMs } = limits
  const settings = {
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
  }
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    // Also the wait for a free one of these connections, in a burst of calls.
    connectionTimeoutMillis: 6_000,
    // The server gives up first; this is for one that cannot even do that.
    query_timeout: statementMs + 1_000,
    keepAlive: true,
    ...(sending.perTransaction ? {} : settings),
  })
  // Without a listener a connection that dies while idle would end the process.
  pool.on('error', onError)
  // Nor has it one of the pool's or of a caller's while it is handed out or being closed.
  pool.on('connect', (client) => void client.on('error', () => undefined))
  const local = Object.entries(settings).map(([name, ms]) => `set local ${name} = ${ms}`)
  const begin = sending.perTransaction ? ['begin', ...local, durable(true)].join('; ') : null
  return {
    db: new Kysely<Tables>({ dialect: new PostgresDialect({ pool: droppingBroken(pool, sending.names, begin) }) }),
    pool,
  }
}

/** A connection that failed to answer once is not used again: a frozen or vanished server would keep its place for ever. */
function droppingBroken(pool: pg.Pool, names: StatementNames | null, begin: string | null): PostgresPool {
  const known = new WeakSet<pg.PoolClient>()
  const connect = async () => {
    const client = await pool.connect()
    const watched = dropWhenBroken(client, names, begin)
    if (begin !== null || known.has(client)) return watched
    try {
      await watched.query(durable(false), [])
      known.add(client)
      return watched
    } catch (error) {
      watched.release(true)
      throw error
    }
  }
  return { connect, end: () => pool.end(), options: pool.options }
}

/** `begin` is sent in place of a plain one. */
function dropWhenBroken(client: pg.PoolClient, names: StatementNames | null, begin: string | null): PostgresPoolClient {
  let broken = false
  // A connection may end between two statements of a transaction; nobody listening would end the process.
  const onError = () => void (broken = true)
  client.on('error', onError)
  const query = async (text: string, parameters: readonly unknown[]) => {
    // The server undoes a transaction when its connection ends.
    if (broken && text === 'rollback') return { command: 'ROLLBACK' as const, rowCount: 0, rows: [] }
    const name = names?.nameOf(text, parameters)
    try {
      if (text === 'begin' && begin !== null) {
        await client.query(begin)
        return { command: 'BEGIN' as const, rowCount: 0, rows: [] }
      }
      return await client.query({ text, values: [...parameters], ...(name === undefined ? {} : { name }) })
    } catch (error) {
      broken ||= isLostConnection(error) || text === 'begin'
      if (name !== undefined) names?.failed(error)
      throw error
    }
  }
  const release = (discard: boolean) => {
    client.off('error', onError)
    client.release(broken || discard)
  }
  // Cursors, the other overload, are not used here.
  return { query, release } as unknown as PostgresPoolClient
}
