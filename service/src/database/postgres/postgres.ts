import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { isLostConnection } from '../lost-connection.ts'
import type { Tables } from '../tables/tables.ts'
import type { RunGroup } from './grouped-transaction.ts'
import { StatementGroup, type StatementResult } from './statement-group.ts'
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

/** A connection of a pool, for Kysely and for statements that go together. */
interface Client extends PostgresPoolClient {
  runGroup: RunGroup
}

/** Kysely over a pool, and the pool itself for transactions that need no Kysely. */
export type PooledKysely = Kysely<Tables> & {
  readonly pool: { connect(): Promise<Client>; /** How a transaction begins. */ readonly begin: readonly string[] }
}

/** Opens the scale-out engine. Every wait is bounded, so that a lost database turns into a 503 and not into a queue. */
export function openPostgres(
  url: string,
  onError: (error: Error) => void,
  limits: PoolLimits = offline,
  sending: Sending = plainly,
): { db: PooledKysely; pool: pg.Pool } {
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
  const begin = sending.perTransaction ? ['begin', ...local, durable(true)] : ['begin']
  const clients = { ...droppingBroken(pool, sending, begin), begin }
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: clients }) })
  return { db: Object.assign(db, { pool: clients }), pool }
}

/** A connection that failed to answer once is not used again: a frozen or vanished server would keep its place for ever. */
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
  /** Sent in place of a plain one. */
  begin: readonly string[]
  prepared: Set<string>
}

function dropWhenBroken(client: pg.PoolClient, { names, begin, prepared }: Watching): Client {
  let broken = false
  // A connection may end between two statements of a transaction; nobody listening would end the process.
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
      return await client.query({ text, values: [...parameters], ...(name === undefined ? {} : { name }) })
    } catch (error) {
      broken ||= isLostConnection(error) || text === 'begin'
      if (name !== undefined) names?.failed(error)
      throw error
    }
  }
  const runGroup: RunGroup = async (statements) => {
    // Behind a statement that was never answered none would be.
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
