import { sql, type RawBuilder } from 'kysely'

/** The rows after one place in an order by a column and then by the name of the row; an index over both finds them. */
export function pageOf(
  column: RawBuilder<unknown>,
  name: string,
  [value, last]: readonly [value: number, last: string],
  down: boolean,
): RawBuilder<boolean> {
  return sql<boolean>`(${column}, ${sql.ref(name)}) ${sql.raw(down ? '<' : '>')} (${value}, ${last})`
}
