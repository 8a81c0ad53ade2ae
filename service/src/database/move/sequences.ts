import { sql } from 'kysely'
import type { MoveSide } from './copy-table.ts'
import { numberedTables } from './moved-tables.ts'

type Numbered = (typeof numberedTables)[number]

/** The last number that each table gave to a row; ids of rows that are gone are not given again. */
export async function readSequences({ db, dialect }: MoveSide): Promise<Map<Numbered, number>> {
  const last = new Map<Numbered, number>()
  for (const table of numberedTables) {
    const query =
      dialect === 'postgres'
        ? sql<{
            last: number
          }>`select coalesce(pg_sequence_last_value(pg_get_serial_sequence(${table}, 'id')), 0) as last`
        : sql<{ last: number }>`select seq as last from sqlite_sequence where name = ${table}`
    const { rows } = await query.execute(db)
    last.set(table, Number(rows[0]?.last ?? 0))
  }
  return last
}

/** Lets every table go on numbering from there. */
export async function writeSequences({ db, dialect }: MoveSide, last: ReadonlyMap<Numbered, number>): Promise<void> {
  for (const [table, number] of last) {
    if (number === 0) continue
    if (dialect === 'postgres') {
      await sql`select setval(pg_get_serial_sequence(${table}, 'id'), ${number})`.execute(db)
    } else {
      await sql`delete from sqlite_sequence where name = ${table}`.execute(db)
      await sql`insert into sqlite_sequence (name, seq) values (${table}, ${number})`.execute(db)
    }
  }
}
