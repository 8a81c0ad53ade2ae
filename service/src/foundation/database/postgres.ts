import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Tables } from './tables.ts'

// Counts and ids stay far below 2^53, so a bigint column is a plain number on this side.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

/** Opens the scale-out engine. Every wait is bounded, so that a lost database turns into a 503 and not into a queue. */
export function openPostgres(url: string, onError: (error: Error) => void): { db: Kysely<Tables>; pool: pg.Pool } {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 3_000,
    statement_timeout: 30_000,
    query_timeout: 35_000,
    idle_in_transaction_session_timeout: 15_000,
    keepAlive: true,
  })
  // Without a listener a connection that dies while idle would end the process.
  pool.on('error', onError)
  return { db: new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }), pool }
}
