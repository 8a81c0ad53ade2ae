import type { Transaction } from 'kysely'
import type { Dialect } from './dialect.ts'
import type { Tables } from '../tables/tables.ts'

/** The code of an error that refuses a store because of its schema. */
export const schemaErrorCode = 'VITAE_SCHEMA'

interface Engine {
  types: Dialect['columnTypes']
  dialect: Dialect
}

export interface Migration {
  number: number
  name: string
  /**
   * True if nodes of older versions cannot continue after it, because it removes something that they use. It does not
   * run while one is alive. Adding tables, or columns that are nullable or have a default, needs no such stop.
   */
  stopsOlderNodes?: boolean
  /** Run in order. */
  statements?: readonly string[] | ((engine: Engine) => readonly string[])
  /** Work that no statement can do; run after the statements. */
  up?(context: Engine & { db: Transaction<Tables> }): Promise<void>
}
