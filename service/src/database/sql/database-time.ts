import { sql, type RawBuilder } from 'kysely'
import type { Dialect } from '../dialect.ts'

/** One clock for all nodes: theirs may differ by more than what is measured here. */
export function databaseTime(dialect: Dialect): RawBuilder<number> {
  return dialect === 'postgres'
    ? sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`
}
