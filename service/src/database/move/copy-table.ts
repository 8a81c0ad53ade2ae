import { createHash } from 'node:crypto'
import { sql, type Kysely } from 'kysely'
import type { Dialect } from '../engine/dialect.ts'
import { packedColumns, repack } from '../packing/pack.ts'
import type { Tables } from '../tables/tables.ts'
import { movedTables, ownSettings, type MovedTable, numberedTables } from './moved-tables.ts'

type Row = Record<string, unknown>

/** One side of a move, which nobody else uses meanwhile. */
export interface MoveSide {
  db: Kysely<Tables>
  dialect: Dialect
}

/** The number of rows, and a checksum that changes with any value. */
export interface Tally {
  rows: number
  checksum: string
}

const rowsAtOnce = 500

/** Copies a table in chunks, with records packed as new ones; returns the tally of the copied rows. */
export async function copyTable(
  from: MoveSide,
  to: MoveSide,
  table: MovedTable,
  onRows: (rows: number) => void,
): Promise<Tally> {
  const sum = new Checksum()
  for await (const rows of chunksOf(from, table)) {
    repackRows(table, rows)
    const columns = Object.keys(rows[0] ?? {})
    const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`)
    const into = sql`${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})`
    await sql`insert into ${into} values ${sql.join(values)}`.execute(to.db)
    sum.add(rows)
    onRows(sum.rows)
  }
  return sum.tally
}

function repackRows(table: MovedTable, rows: readonly Row[]): void {
  const column = packedColumns[table]
  if (column !== undefined) for (const row of rows) row[column] = repack(row[column] as Uint8Array)
}

/** Reads a whole table again for its tally. */
export async function tallyTable(database: MoveSide, table: MovedTable): Promise<Tally> {
  const sum = new Checksum()
  for await (const rows of chunksOf(database, table)) sum.add(rows)
  return sum.tally
}

/** The number of rows, for the progress. */
export async function countRows({ db }: MoveSide, table: MovedTable): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db)
  return Number(rows[0]?.count ?? 0)
}

async function* chunksOf({ db }: MoveSide, table: MovedTable): AsyncGenerator<Row[]> {
  const key = movedTables[table]
  const columns = sql.join(key.map((column) => sql.ref(column)))
  let after: unknown[] | null = null
  for (;;) {
    const where = after ? sql`where (${columns}) > (${sql.join(after)})` : sql``
    const page: { rows: Row[] } = await sql<Row>`
      select * from ${sql.table(table)} ${where} order by ${columns} limit ${sql.lit(rowsAtOnce)}`.execute(db)
    const last = page.rows.at(-1)
    if (!last) return
    const rows = page.rows.filter((row) => table !== 'settings' || !ownSettings.includes(String(row['name'])))
    if (rows.length > 0) yield rows
    if (page.rows.length < rowsAtOnce) return
    after = key.map((column) => last[column])
  }
}

/** The engines sort texts differently, so the checksum does not depend on the order of rows. */
class Checksum {
  #sum = 0n
  rows = 0

  add(rows: readonly Row[]): void {
    for (const row of rows) {
      const hash = createHash('sha256').update(canonical(row)).digest('hex')
      this.#sum = (this.#sum + BigInt(`0x${hash}`)) % 2n ** 256n
    }
    this.rows += rows.length
  }

  get tally(): Tally {
    return { rows: this.rows, checksum: this.#sum.toString(16).padStart(64, '0') }
  }
}

function canonical(row: Row): string {
  const entries = Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify(entries.map(([name, value]) => [name, value instanceof Uint8Array ? hashOf(value) : value]))
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

type Numbered = (typeof numberedTables)[number]

/** The last id that each table assigned; ids of deleted rows are not assigned again. */
export async function readSequences({ db, dialect }: MoveSide): Promise<Map<Numbered, number>> {
  const last = new Map<Numbered, number>()
  for (const table of numberedTables) {
    const query =
      dialect.name === 'postgres'
        ? sql<{
            last: number
          }>`select coalesce(pg_sequence_last_value(pg_get_serial_sequence(${table}, 'id')), 0) as last`
        : sql<{ last: number }>`select seq as last from sqlite_sequence where name = ${table}`
    const { rows } = await query.execute(db)
    last.set(table, Number(rows[0]?.last ?? 0))
  }
  return last
}

/** Lets every table continue numbering from there. */
export async function writeSequences({ db, dialect }: MoveSide, last: ReadonlyMap<Numbered, number>): Promise<void> {
  for (const [table, number] of last) {
    if (number === 0) continue
    if (dialect.name === 'postgres') {
      await sql`select setval(pg_get_serial_sequence(${table}, 'id'), ${number})`.execute(db)
    } else {
      await sql`delete from sqlite_sequence where name = ${table}`.execute(db)
      await sql`insert into sqlite_sequence (name, seq) values (${table}, ${number})`.execute(db)
    }
  }
}
