import type { OpenDatabase } from '../../harness/engines.ts'
import { rowsOf } from './rows-of.ts'

/** The rows of each table, as sorted texts that are equal on both engines. */
export type CanonicalState = Record<string, string[]>

/** The tables, columns and settings that may differ after equal events, and why. Everything else must be equal. */
export const mayDiffer: Readonly<Record<string, string>> = {
  migrations: 'the time at which a store was made',
  rewrites: 'only PostgreSQL rewrites the tables of erased rows, once a day; SQLite overwrites freed bytes at once',
  'suppressions.rewrite_number': 'the rewrite that removes the bytes of this erasure; none on SQLite',
  'settings of ping': 'the readiness check writes on SQLite, where a full disk stops writes only; PostgreSQL is asked',
  checksum: 'only SQLite has checksums of rows; they cover the ids of calls',
  'settings of erasure.tables_left': 'the tables that the next rewrite covers; none on SQLite',
}

/** Reads the whole store. Ids of calls become their rank, because a process never repeats them. */
export async function canonicalState(database: OpenDatabase): Promise<CanonicalState> {
  const tables = (await tableNames(database)).filter((name) => !(name in mayDiffer))
  const read = new Map<string, string[]>()
  for (const table of tables) {
    const all = await rowsOf<Record<string, unknown>>(database, `select * from ${table}`)
    const rows = all.filter((row) => !(`${table} of ${valueOf(row['name'])}` in mayDiffer))
    read.set(
      table,
      rows.map((row) => textOf(table, row)),
    )
  }
  const ids = [...new Set([...read.values()].flatMap((rows) => rows.flatMap((row) => row.match(requestId) ?? [])))]
  const ranks = new Map(ids.toSorted().map((id, index) => [id, `call ${index + 1}`]))
  const withRanks = (row: string) => row.replaceAll(requestId, (id) => ranks.get(id) ?? id)
  return Object.fromEntries([...read].map(([table, rows]) => [table, rows.map(withRanks).toSorted()]))
}

/** The rows that only one of two states has. */
export function differencesOf(one: CanonicalState, other: CanonicalState): string[] {
  const tables = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...tables].flatMap((table) => {
    const [left, right] = [one[table] ?? [], other[table] ?? []]
    return [
      ...without(left, right).map((row) => `- ${table} ${row}`),
      ...without(right, left).map((row) => `+ ${table} ${row}`),
    ]
  })
}

function without(rows: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>()
  for (const row of others) left.set(row, (left.get(row) ?? 0) + 1)
  return rows.filter((row) => {
    const count = left.get(row) ?? 0
    left.set(row, count - 1)
    return count <= 0
  })
}

const requestId = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g

async function tableNames(database: OpenDatabase): Promise<string[]> {
  const text =
    database.dialect.name === 'sqlite'
      ? `select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name`
      : `select relname as name from pg_class where relnamespace = current_schema()::regnamespace
         and relkind in ('r', 'p') and not relispartition and relname <> 'simulated_clock' order by relname`
  return (await rowsOf<{ name: string }>(database, text)).map(({ name }) => name)
}

function textOf(table: string, row: Record<string, unknown>): string {
  const columns = Object.keys(row).filter((name) => !(name in mayDiffer) && !(`${table}.${name}` in mayDiffer))
  return columns
    .toSorted()
    .map((name) => `${name}=${valueOf(row[name])}`)
    .join(' ')
}

/** The engines return other types for the same value. */
function valueOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64url')
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (typeof value === 'object' && value !== null) return JSON.stringify(value)
  return String(value)
}
