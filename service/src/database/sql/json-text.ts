import { sql, type RawBuilder } from 'kysely'
import type { Dialect } from '../dialect.ts'

/** A value inside a column of JSON, as text; null where it is absent. A boolean is `true` or `1`, by the engine. */
export function jsonText(dialect: Dialect, column: string, path: readonly string[]): RawBuilder<string | null> {
  const from = sql.ref(column)
  return dialect === 'postgres'
    ? sql<string | null>`cast(${from} as json) #>> ${sql.lit(`{${path.join(',')}}`)}`
    : sql<string | null>`cast(json_extract(${from}, ${sql.lit(`$.${path.join('.')}`)}) as text)`
}
