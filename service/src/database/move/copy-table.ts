import { hash } from 'node:crypto'
import { CompiledQuery, sql, type Kysely } from 'kysely'
import type { Dialect } from '../engine/dialect.ts'
import { repeated } from '../sql/prepared.ts'
import { packedColumns, repack } from '../packing/pack.ts'
import { isChecked } from '../packing/row-checksum.ts'
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
  let writing: Promise<unknown> = Promise.resolve()
  for await (const rows of chunksOf(from, table)) {
    repackRows(table, rows)
    setChecksums(from, to, table, rows)
    await writing
    writing = insertRows(to, table, rows)
    // A failure is thrown by the next await, and is no unhandled one until then.
    writing.catch(() => undefined)
    // PostgreSQL writes this chunk while it is summed and the next one is read.
    sum.add(rows)
    onRows(sum.rows)
  }
  await writing
  return sum.tally
}

/** Building the statement with Kysely would take longer than SQLite takes to read the rows. */
function insertRows({ db, dialect }: MoveSide, table: MovedTable, rows: readonly Row[]): Promise<unknown> {
  const columns = Object.keys(rows[0] ?? {})
  const row = `(${columns.map(() => '?').join(', ')})`
  const names = columns.map((column) => `"${column}"`).join(', ')
  const text = dialect.placeholders(`insert into "${table}" (${names}) values ${repeated(row, rows.length)}`)
  const values = rows.flatMap((one) => columns.map((column) => one[column]))
  return db.executeQuery(CompiledQuery.raw(text, values))
}

function repackRows(table: MovedTable, rows: readonly Row[]): void {
  const column = packedColumns[table]
  if (column !== undefined) for (const row of rows) row[column] = repack(row[column] as Uint8Array)
}

/** Removes the checksums of rows that move to PostgreSQL, which stores none, and computes those of rows that move from it. */
function setChecksums(from: MoveSide, to: MoveSide, table: MovedTable, rows: readonly Row[]): void {
  if (!isChecked(table) || from.dialect.name === to.dialect.name) return
  for (const row of rows) row['checksum'] = to.dialect.checksum(table, row)
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

async function* chunksOf(side: MoveSide, table: MovedTable): AsyncGenerator<Row[]> {
  const key = movedTables[table]
  let reading: Promise<Row[]> | null = readPage(side, table, null)
  while (reading) {
    const page: Row[] = await reading
    const last = page.at(-1)
    reading = null
    if (last && page.length === rowsAtOnce) {
      const after = key.map((column) => last[column])
      reading = readPage(side, table, after)
      reading.catch(() => undefined)
    }
    const rows = page.filter((row) => table !== 'settings' || !ownSettings.includes(String(row['name'])))
    if (rows.length > 0) yield rows
  }
}

/** Rows in the order of the key, after the given one. */
async function readPage({ db }: MoveSide, table: MovedTable, after: readonly unknown[] | null): Promise<Row[]> {
  const columns = sql.join(movedTables[table].map((column) => sql.ref(column)))
  const where = after ? sql`where (${columns}) > (${sql.join(after)})` : sql``
  const { rows } = await sql<Row>`
    select * from ${sql.table(table)} ${where} order by ${columns} limit ${sql.lit(rowsAtOnce)}`.execute(db)
  return rows
}

/** The engines sort texts differently, so the checksum does not depend on the order of rows. */
class Checksum {
  #sum = 0n
  rows = 0

  add(rows: readonly Row[]): void {
    const columns = Object.keys(rows[0] ?? {}).toSorted()
    for (const row of rows) {
      const values = columns.map((column) => valueOf(row[column]))
      this.#sum = (this.#sum + BigInt(`0x${hash('sha256', JSON.stringify(values))}`)) % 2n ** 256n
    }
    this.rows += rows.length
  }

  get tally(): Tally {
    return { rows: this.rows, checksum: this.#sum.toString(16).padStart(64, '0') }
  }
}

function valueOf(value: unknown): unknown {
  return value instanceof Uint8Array ? hash('sha256', value) : value
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
