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

interface Engine {
  types: ColumnTypes
  dialect: Dialect
}

export interface Migration {
  number: number
  name: string
  /**
   * True where nodes of older versions cannot go on once it has run, because it takes something from them. It is not run
   * while one is alive. Adding tables, or columns that are null or have a default, needs no such stop.
   */
  stopsOlderNodes?: boolean
  /** Run in their order. */
  statements?: readonly string[] | ((engine: Engine) => readonly string[])
  /** What no statement can do; run after them. */
  up?(context: Engine & { db: Transaction<Tables> }): Promise<void>
}
