import type { Kysely } from 'kysely'
import type { Tables } from './tables/tables.ts'

export type Dialect = 'sqlite' | 'postgres'

/** Runs a statement whose text is known, and gives its rows. */
export type RunStatement = (
  text: string,
  parameters: readonly (string | number | null | Uint8Array)[],
) => Promise<unknown[]> | unknown[]

/**
 * The two ways to run SQL: Kysely, and with `run` prepared statements of our own where Kysely's layers cost more than the
 * statement does. `send` is for those without rows: in a shared transaction on PostgreSQL it goes to the server with the
 * next statement that is waited for, or with the commit, which then fails with it.
 */
export type Tx = Kysely<Tables> & {
  readonly run: RunStatement
  readonly send: RunStatement
  /** Set by what gives the webhook sender something to do: it is woken after the commit. */
  wakesSender?: boolean
}

/** What an operation runs its statements with, for as long as it has the connection. */
export interface Connection {
  db: Tx
  dialect: Dialect
}

/**
 * What a commit of the embedded engine promises. A `synced` one survives a power cut once it has answered. One that goes
 * `with the next` may be lost in one, together with all after it, until a synced one follows: the log is sequential, so
 * the sync of that one takes it along. It is for steps whose caller waits for a synced one before anything is answered.
 */
export type Durability = 'synced' | 'with the next'

/** How work takes part in a commit with others. */
export interface Sharing {
  durability: Durability
  isCharge?: boolean
}

/** Where operations run: the embedded engine's executor, or a pool of connections. */
export interface Database {
  readonly dialect: Dialect
  /** PostgreSQL behind a pooler that gives each transaction another session: settings of a session do not stay. */
  readonly isPooled?: boolean
  /**
   * Without a transaction, and without writing. A report has a time, in which each of its statements must end, and sees one
   * moment of the store, however long it takes.
   */
  read<Result>(work: (connection: Connection) => Promise<Result>, reportMs?: number): Promise<Result>
  /** Without a transaction: each of its statements is one by itself. */
  single<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result>
  /** In a transaction of its own. */
  write<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result>
  /**
   * The same for short work that callers wait for: on the embedded engine it shares a commit with all that waits. A charge
   * goes before the others.
   */
  share<Result>(sharing: Sharing, work: (connection: Connection) => Promise<Result>): Promise<Result>
}
