import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { isLostConnection } from '../lost-connection.ts'
import type { Tables } from '../tables.ts'

// Counts and ids stay far below 2^53, so a bigint column is a plain number on this side.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

/** A server that reports commits before they are on disk loses charges in a crash, so its default does not count here. */
const durable = `select set_config('synchronous_commit', 'on', false)
  where current_setting('synchronous_commit') = 'off'`

/** How many connections there are, and how long each waits. */
export interface Patience {
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
export const quick: Patience = {
  connections: 10,
  statementMs: 4_000,
  // Below the limit of a statement, because it says for certain that nothing was done.
  lockMs: 3_500,
  idleInTransactionMs: standstillMs,
}
/** What operators and jobs start: reading through a whole table may take its time. */
export const patient: Patience = {
  connections: 4,
  statementMs: 10 * 60_000,
  lockMs: 0,
  idleInTransactionMs: standstillMs,
}
/** A command that has the database for itself, such as a move: long pauses inside a transaction harm nobody. */
const offline: Patience = { ...patient, idleInTransactionMs: 60_000 }

/** Opens the scale-out engine. Every wait is bounded, so that a lost database turns into a 503 and not into a queue. */
export function openPostgres(
  url: string,
  onError: (error: Error) => void,
  { connections, statementMs, lockMs, idleInTransactionMs }: Patience = offline,
): { db: Kysely<Tables>; pool: pg.Pool } {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    // Also the wait for a free one of these connections, in a burst of calls.
    connectionTimeoutMillis: 6_000,
    statement_timeout: statementMs,
    // The server gives up first; this is for one that cannot even do that.
    query_timeout: statementMs + 1_000,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    keepAlive: true,
  })
  // Without a listener a connection that dies while idle would end the process.
  pool.on('error', onError)
  return { db: new Kysely<Tables>({ dialect: new PostgresDialect({ pool: droppingBroken(pool) }) }), pool }
}

/** A connection that failed to answer once is not used again: a frozen or vanished server would keep its place for ever. */
function droppingBroken(pool: pg.Pool): PostgresPool {
  const known = new WeakSet<pg.PoolClient>()
  const connect = async () => {
    const client = await pool.connect()
    const watched = dropWhenBroken(client)
    if (known.has(client)) return watched
    try {
      await watched.query(durable, [])
      known.add(client)
      return watched
    } catch (error) {
      watched.release(true)
      throw error
    }
  }
  return { connect, end: () => pool.end(), options: pool.options }
}

function dropWhenBroken(client: pg.PoolClient): PostgresPoolClient {
  let broken = false
  // A connection may end between two statements of a transaction; nobody listening would end the process.
  const onError = () => void (broken = true)
  client.on('error', onError)
  const query = async (text: string, parameters: readonly unknown[]) => {
    // The server undoes a transaction when its connection ends.
    if (broken && text === 'rollback') return { command: 'ROLLBACK' as const, rowCount: 0, rows: [] }
    try {
      return await client.query(text, [...parameters])
    } catch (error) {
      broken ||= isLostConnection(error)
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
