import type { Kysely, Transaction } from 'kysely'
import type { Tables } from './tables/tables.ts'

export type Dialect = 'sqlite' | 'postgres'

/** Runs a statement whose text is known, and gives its rows. */
export type RunStatement = (
  text: string,
  parameters: readonly (string | number | null | Uint8Array)[],
) => Promise<unknown[]> | unknown[]

/** What every store operation is handed: the database, and which engine it is, for the few things that differ. */
export interface Database {
  db: Kysely<Tables>
  dialect: Dialect
  /** PostgreSQL behind a pooler that gives each transaction another session: settings of a session do not stay. */
  isPooled?: boolean
  /** The embedded engine's way past Kysely. */
  direct?: Direct
}

/** The one connection of the embedded engine. */
export interface Direct {
  lock: ConnectionLock
  /** Runs a statement at once, for who has the lock. */
  run: RunStatement
  /** Kysely for who has the lock: what it runs waits for nothing. */
  inside: Tx
}

/** Who has the connection. Those who wait for it get it in order. */
export interface ConnectionLock {
  /** Undefined where it is free. */
  take(): Promise<void> | undefined
  give(): void
}

export type Tx = Transaction<Tables>
