import type { Kysely, Transaction } from 'kysely'
import type { Tables } from './tables.ts'

export type Dialect = 'sqlite' | 'postgres'

/** What every store operation is handed: the database, and which engine it is, for the few things that differ. */
export interface Database {
  db: Kysely<Tables>
  dialect: Dialect
}

export type Tx = Transaction<Tables>
