import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { isLostConnection } from '../engine/lost-connection.ts'
import type { Tables } from '../tables/tables.ts'
import type { RunGroup } from './grouped-transaction.ts'
import { StatementGroup, type StatementResult } from './statement-group.ts'
import type { StatementNames } from './statement-names.ts'

// Counts and ids stay far below 2^53, so a bigint column becomes a plain number.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

/** A server that confirms commits before they are on disk loses charges in a crash, so its default is overridden. */
const durable = (onlyThisTransaction: boolean) => `select set_config('synchronous_commit', 'on', ${onlyThisTransaction})
  where current_setting('synchronous_commit') = 'off'`

/** The size of a pool, and the time limits of its statements. */
export interface PoolLimits {
  connections: number
  statementMs: number
  /** How long a statement waits for a lock; 0 = as long as it may run. */
  lockMs: number
  /** How long a transaction may stand still before the server ends it and releases its locks. */
  idleInTransactionMs: number
  /** How long a new connection, or a free one in a burst of calls, may take. */
  connectMs: number
}

/** A node that freezes inside a transaction must not stall others for 2 s, and a waiting statement must outlast it. */
const standstillMs = 1_500

/** For operations that callers wait for: a database that does not answer must soon become a 503. */
export const quick: PoolLimits = {
  connections: 10,
  statementMs: 4_000,
  // Below the statement limit, because a lock timeout proves that nothing was done.
  lockMs: 3_500,
  idleInTransactionMs: standstillMs,
  connectMs: 6_000,
}
/** A rewrite of a table grows with the store. pg takes 0 for the limit of the pool. */
const unlimitedMs = 2 ** 31 - 1
/** For operators and jobs: reading a whole table may take long. */
export const patient: PoolLimits = {
  connections: 4,
  statementMs: 10 * 60_000,
  lockMs: 0,
  idleInTransactionMs: standstillMs,
  connectMs: 6_000,
}
/** For a command that has the database to itself, such as a move: long pauses inside a transaction harm nobody. */
const offline: PoolLimits = { ...patient, idleInTransactionMs: 60_000 }

/** The same limits, multiplied. */
export function stretched(limits: PoolLimits, by: number): PoolLimits {
  const { connections, statementMs, lockMs, idleInTransactionMs, connectMs } = limits
  return {
    connections,
    statementMs: statementMs * by,
    lockMs: lockMs * by,
    idleInTransactionMs: idleInTransactionMs * by,
    connectMs: connectMs * by,
  }
}

/** How statements are sent. */
export interface Sending {
  /** Null if statements get no names. */
  names: StatementNames | null
  /** A pooler assigns each transaction another session: then every transaction sets its own limits. */
  perTransaction: boolean
}
const plainly: Sending = { names: null, perTransaction: false }

/** A connection of a pool, for Kysely and for grouped statements. */
interface Client extends PostgresPoolClient {
  runGroup: RunGroup
}

/** Kysely over a pool, and the pool itself for transactions without Kysely. */
export type PooledKysely = Kysely<Tables> & {
  readonly pool: { connect(): Promise<Client>; /** How a transaction begins. */ readonly begin: readonly string[] }
}

/** Opens the scale-out engine. Every wait is limited, so that a lost database causes a 503 and not a queue. */
export function openPostgres(
  url: string,
  onError: (error: Error) => void,
  limits: PoolLimits = offline,
  sending: Sending = plainly,
): { db: PooledKysely; pool: pg.Pool } {
  const { connections, statementMs, lockMs, idleInTransactionMs, connectMs } = limits
  const settings = {
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
  }
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: connectMs,
    // The server gives up first; this is for a server that cannot even do that.
    query_timeout: statementMs + 1_000,
    keepAlive: true,
    ...(sending.perTransaction ? {} : settings),
  })
  // Without a listener, a connection that dies while idle would end the process.
  pool.on('error', onError)
  // The same applies to a connection that is in use or being closed.
  pool.on('connect', (client) => void client.on('error', () => undefined))
  const local = Object.entries(settings).map(([name, ms]) => `set local ${name} = ${ms}`)
  const begin = sending.perTransaction ? ['begin', ...local, durable(true)] : ['begin']
  const clients = { ...droppingBroken(pool, sending, begin), begin }
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: clients }) })
  return { db: Object.assign(db, { pool: clients }), pool }
}

/**
 * A connection that failed to answer once is not used again: otherwise a frozen or vanished server would occupy its
 * place forever.
 */
function droppingBroken(pool: pg.Pool, { names, perTransaction }: Sending, begin: readonly string[]) {
  /** The connections that were used before, each with the statements that it knows by name. */
  const prepared = new WeakMap<pg.PoolClient, Set<string>>()
  const connect = async (): Promise<Client> => {
    const client = await pool.connect()
    const known = prepared.get(client)
    if (known) return dropWhenBroken(client, { names, begin, prepared: known })
    const fresh = new Set<string>()
    const watched = dropWhenBroken(client, { names, begin, prepared: fresh })
    try {
      if (!perTransaction) await watched.query(durable(false), [])
      prepared.set(client, fresh)
      return watched
    } catch (error) {
      watched.release(true)
      throw error
    }
  }
  return { connect, end: () => pool.end(), options: pool.options }
}

interface Watching {
  names: StatementNames | null
  /** Sent instead of a plain `begin`. */
  begin: readonly string[]
  prepared: Set<string>
}

function dropWhenBroken(client: pg.PoolClient, { names, begin, prepared }: Watching): Client {
  let broken = false
  // A connection may end between two statements of a transaction; without a listener that would end the process.
  const onError = () => void (broken = true)
  client.on('error', onError)
  const query = async (text: string, parameters: readonly unknown[]) => {
    // The server undoes a transaction when its connection ends.
    if (broken && text === 'rollback') return { command: 'ROLLBACK' as const, rowCount: 0, rows: [] }
    const name = parameters.length === 0 ? undefined : names?.nameOf(text, parameters)
    try {
      if (text === 'begin' && begin.length > 1) {
        await client.query(begin.join('; '))
        return { command: 'BEGIN' as const, rowCount: 0, rows: [] }
      }
      const limit = text.startsWith('vacuum ') ? { query_timeout: unlimitedMs } : {}
      return await client.query({ text, values: [...parameters], ...limit, ...(name === undefined ? {} : { name }) })
    } catch (error) {
      broken ||= isLostConnection(error) || text === 'begin'
      if (name !== undefined) names?.failed(error)
      throw error
    }
  }
  const runGroup: RunGroup = async (statements) => {
    // After an unanswered statement, no other would be answered.
    if (broken) throw new Error('Connection terminated')
    const named = statements.map((one) => ({ ...one, name: names?.nameOfGrouped(one.text, one.values) }))
    try {
      return await new Promise<StatementResult[]>((resolve, reject) => {
        const done = (error: Error | null, results: StatementResult[] = []) =>
          error ? reject(error) : resolve(results)
        client.query(new StatementGroup(named, prepared, done))
      })
    } catch (error) {
      broken ||= isLostConnection(error)
      names?.failed(error)
      throw error
    }
  }
  const release = (discard: boolean) => {
    client.off('error', onError)
    client.release(broken || discard)
  }
  // Cursors, the other overload, are not used here.
  return { query, runGroup, release } as unknown as Client
}
