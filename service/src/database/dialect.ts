import type { Kysely, Transaction } from 'kysely'
import type { Tables } from './tables.ts'

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
  /** The embedded engine's way past Kysely, at once, for who holds its one connection. */
  direct?: RunStatement
}

export type Tx = Transaction<Tables>
