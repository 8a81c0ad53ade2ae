import { sql, type RawBuilder } from 'kysely'

/** The rows in which one of the columns contains a text, whatever its case. */
export function containing(columns: readonly string[], text: string): RawBuilder<boolean> {
  const pattern = (part: string) => `%${part.replaceAll(/[\\%_]/g, (letter) => `\\${letter}`)}%`
  const parts = columns.flatMap((column) => [
    // SQLite lowers ASCII only; what is typed as it is written is found all the same.
    sql<boolean>`lower(${sql.ref(column)}) like ${pattern(text.toLowerCase())} escape '\\'`,
    sql<boolean>`${sql.ref(column)} like ${pattern(text)} escape '\\'`,
  ])
  return sql<boolean>`(${sql.join(parts, sql` or `)})`
}
