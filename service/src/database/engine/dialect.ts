import type { Kysely, RawBuilder, SqlBool, TransactionBuilder } from 'kysely'
import type { CheckedRow, CheckedTable } from '../packing/row-checksum.ts'
import type { Tables } from '../tables/tables.ts'

/** A lock on the rows of a select. */
export interface RowLock {
  mode?: 'update' | 'share' | 'key share'
  /** The table whose rows are locked, in a join. */
  of?: 'environments'
  /** Leaves out rows that others have locked, instead of waiting for them. */
  skipLocked?: boolean
}

/** A select that can lock its rows. */
interface Lockable {
  forUpdate: unknown
  skipLocked: unknown
}

/**
 * The differences between the engines: `sqlite/connection/sqlite.ts` and `postgres/postgres-dialect.ts`. SQLite has one
 * connection, so its transactions run one after another and its locks do nothing.
 */
export interface Dialect {
  /** Only code in this folder may compare it. */
  readonly name: 'sqlite' | 'postgres'
  /** Whether transactions run concurrently, so that a row may be locked by another one. */
  readonly locksRows: boolean
  /** Whether the call log and the fetches are partitioned by month. */
  readonly hasMonths: boolean
  readonly columnTypes: { blob: string; autoId: string }
  /** Compresses a record or a payload for storage, so that every node that runs can read it. */
  readonly pack: (bytes: Uint8Array) => Uint8Array
  /** The checksum that is stored in a new row. Null on PostgreSQL, whose pages have checksums. */
  checksum<Table extends CheckedTable>(table: Table, row: CheckedRow<Table>): number | null

  /** A statement with parameters `?` in order, or `?1` by number, in the engine's own form. */
  placeholders(text: string): string

  /** Lets a select lock its rows until the transaction ends. */
  lock<Query extends Lockable>(query: Query, lock?: RowLock): Query
  /** Runs a select only for its locks. */
  lockRows(query: { forUpdate(): { execute(): Promise<unknown> } }): Promise<void>
  /** Locks a number until the transaction ends. A `patient` lock lets others go first while it is not free. */
  advisoryLock(tx: Kysely<Tables>, number: number, mode?: 'exclusive' | 'patient'): Promise<void>
  /** Locks a number, as others may at the same time. It waits for no round trip: the next statement waits for it. */
  sharedLock(tx: Tx, number: number): Promise<void>
  /** Locks several numbers, in their order. It waits for no round trip either. */
  advisoryLocks(tx: Tx, numbers: readonly number[]): Promise<void>
  /** Locks a number within a group. These locks are separate from those without a group. */
  advisoryGroupLock(tx: Tx, group: number, number: number): Promise<void>
  /** Limits the time of the statements that follow in the transaction; null removes the limit. */
  limitStatements(tx: Tx, ms: number | null): unknown
  /** A transaction that sees one snapshot of the store. */
  snapshot(begin: TransactionBuilder<Tables>): TransactionBuilder<Tables>

  /** The database's time in milliseconds: one clock for all nodes, whose own clocks may differ. */
  now(): RawBuilder<number>
  /** A value inside a JSON column, as text; null if it is absent. A boolean is `true` or `1`, depending on the engine. */
  jsonText(column: string, path: readonly string[]): RawBuilder<string | null>
  /** Whether a text column begins with a prefix; an index finds the rows. */
  beginsWith(column: string, prefix: string): RawBuilder<SqlBool>
  /** Whether a column has one of the values: a list of any length is one parameter. */
  isAmong(column: string, type: 'text' | 'bigint', values: readonly (string | number)[]): RawBuilder<SqlBool>
  /** Whether a column of bytes contains some bytes. */
  containsBytes(column: string, bytes: Uint8Array): RawBuilder<SqlBool>
  /** Whether a column has one of the values of a select in brackets, which an index finds however long the list is. */
  isSelected(column: string, select: RawBuilder<unknown>): RawBuilder<boolean>
  /** Joins the rows of a table whose ids a select returns for each row of the tables before it. */
  joinSelected(table: string, ids: RawBuilder<unknown>): RawBuilder<unknown>
  /** The UTC month of a time in milliseconds, `2026-11`. */
  utcMonth(at: RawBuilder<unknown>): RawBuilder<string>
  /** A text that sorts by its bytes, whatever the collation of the database is. */
  byBytes(text: RawBuilder<unknown>): RawBuilder<string>
  /** The texts of a group, with a separator between them. */
  joinTexts(text: RawBuilder<unknown>, separator: string): RawBuilder<string | null>
}

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
  /**
   * Long reports call it between two steps. On PostgreSQL, where they have the priority of callers, it waits. On the
   * embedded engine they run in a process of low priority, and it is absent.
   */
  rest?: () => Promise<void>
}

/**
 * The durability of a commit of the embedded engine. A `synced` commit survives a power cut once it is answered. One
 * `with the next` may be lost, together with all later ones, until a synced commit follows: the log is sequential, so
 * the later sync includes it. It is for steps whose caller waits for a synced commit before anything is answered, and for
 * steps that may be repeated.
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
