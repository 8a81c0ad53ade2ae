import type { Transaction } from 'kysely'
import type { Dialect } from '../dialect.ts'
import type { Tables } from '../tables.ts'

/** What differs between the engines when a table is made. */
export interface ColumnTypes {
  blob: string
  autoId: string
}

export interface Migration {
  number: number
  name: string
  up(context: { db: Transaction<Tables>; types: ColumnTypes; dialect: Dialect }): Promise<void>
}
