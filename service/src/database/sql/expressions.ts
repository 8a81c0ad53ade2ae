import { sql, type RawBuilder } from 'kysely'

/** The rows in which one of the columns contains a text, ignoring case. */
export function containing(columns: readonly string[], text: string): RawBuilder<boolean> {
  const pattern = (part: string) => `%${part.replaceAll(/[\\%_]/g, (letter) => `\\${letter}`)}%`
  const parts = columns.flatMap((column) => [
    // SQLite lowers ASCII only; text in its original case is still found.
    sql<boolean>`lower(${sql.ref(column)}) like ${pattern(text.toLowerCase())} escape '\\'`,
    sql<boolean>`${sql.ref(column)} like ${pattern(text)} escape '\\'`,
  ])
  return sql<boolean>`(${sql.join(parts, sql` or `)})`
}

/**
 * The column `duration_ms` in steps of at most ten percent. Counts per step can be added up over slices of a long
 * period, unlike percentiles.
 */
export const durationStep = sql<number | null>`case
  when duration_ms < 100 then cast(duration_ms as integer)
  when duration_ms < 1000 then cast(duration_ms / 10 as integer) * 10
  when duration_ms < 10000 then cast(duration_ms / 100 as integer) * 100
  else cast(duration_ms / 1000 as integer) * 1000 end`

/** The rows after a position in an order by a column and then by the row's name; an index over both finds them. */
export function pageOf(
  column: RawBuilder<unknown>,
  name: string,
  [value, last]: readonly [value: number, last: string],
  down: boolean,
): RawBuilder<boolean> {
  return sql<boolean>`(${column}, ${sql.ref(name)}) ${sql.raw(down ? '<' : '>')} (${value}, ${last})`
}

/** Whether a column has one of the values. PostgreSQL refuses `in ()`, so an empty list is false. */
export function isAmong(column: string | RawBuilder<unknown>, values: readonly string[]): RawBuilder<boolean> {
  if (values.length === 0) return sql<boolean>`1 = 0`
  return sql<boolean>`${typeof column === 'string' ? sql.ref(column) : column} in (${sql.join(values)})`
}
