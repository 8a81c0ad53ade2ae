import type { Kysely } from 'kysely'
import type { Tables } from './tables/tables.ts'

export type Dialect = 'sqlite' | 'postgres'

/** Runs a prepared statement and returns its rows. */
export type RunStatement = (
  text: string,
  parameters: readonly (string | number | null | Uint8Array)[],
) => Promise<unknown[]> | unknown[]

/**
 * The two ways to run SQL: Kysely, and `run` for our own prepared statements where Kysely's layers cost more than the
 * statement. `send` is for statements without rows: in a shared transaction on PostgreSQL it travels with the next
 * awaited statement or with the commit, which then fails with it.
 */
export type Tx = Kysely<Tables> & {
  readonly run: RunStatement
  readonly send: RunStatement
  /** Set by operations that give the webhook sender something to do: it is woken after the commit. */
  wakesSender?: boolean
}

/** The connection with which an operation runs its statements. */
export interface Connection {
  db: Tx
  dialect: Dialect
}

/**
 * The durability of a commit of the embedded engine. A `synced` commit survives a power cut once it is answered. One
 * `with the next` may be lost, together with all later ones, until a synced commit follows: the log is sequential, so
 * the later sync includes it. It is for steps whose caller waits for a synced commit before anything is answered.
 */
export type Durability = 'synced' | 'with the next'

/** How work shares a commit with other work. */
export interface Sharing {
  durability: Durability
  isCharge?: boolean
}

/** The engine on which operations run: the embedded engine's executor, or a pool of connections. */
export interface Database {
  readonly dialect: Dialect
  /** PostgreSQL behind a pooler that assigns each transaction another session: session settings do not persist. */
  readonly isPooled?: boolean
  /**
   * Reads without a transaction. A report has a time limit for each of its statements, and sees one snapshot of the
   * store, however long it takes.
   */
  read<Result>(work: (connection: Connection) => Promise<Result>, reportMs?: number): Promise<Result>
  /** Runs without a transaction: each statement is its own. */
  single<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result>
  /** Runs in its own transaction. */
  write<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result>
  /**
   * The same for short work that callers wait for: on the embedded engine it shares a commit with everything that
   * waits. Charges go before the others.
   */
  share<Result>(sharing: Sharing, work: (connection: Connection) => Promise<Result>): Promise<Result>
}
