import type { Transaction } from 'kysely'
import type { Dialect } from './dialect.ts'
import type { Tables } from './tables/tables.ts'

/** The code of an error that refuses a store because of its schema. */
export const schemaErrorCode = 'VITAE_SCHEMA'

/** What differs between the engines when a table is made. */
export interface ColumnTypes {
  blob: string
  autoId: string
}

export interface Migration {
  number: number
  name: string
  /**
   * True where nodes of older versions cannot go on once it has run, because it takes something from them. It is not run
   * while one is alive. Adding tables, or columns that are null or have a default, needs no such stop.
   */
  stopsOlderNodes?: boolean
  up(context: { db: Transaction<Tables>; types: ColumnTypes; dialect: Dialect }): Promise<void>
}
