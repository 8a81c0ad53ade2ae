import type { Dialect, RunStatement, Tx, Connection } from '../engine/dialect.ts'
import { checkedColumns, checksumOf, isChecked } from '../packing/row-checksum.ts'
import type { Compilable, ExpressionBuilder } from 'kysely'
import type { Tables } from '../tables/tables.ts'
import type { KeyRow } from '../tables/accounts.ts'

/*
 * Prepared statements for hot paths: building one with Kysely each time costs more than running it. Every other statement
 * goes through Kysely.
 */

/** A text with parameters `?` in order. In a list, `[items]` stands for `count` items that are all equal. */
export type Prepared = string | { text: string; item: string; count: number }

/** The texts by engine, by name and by number of items. The engine keeps the prepared form by the text. */
const texts: Record<Dialect['name'], Map<string, string[]>> = { sqlite: new Map(), postgres: new Map() }

/** The text of a statement in the engine's form. `make` builds it once for each number of items. */
function preparedText(dialect: Dialect, name: string, count: number, make: () => string): string {
  const known = texts[dialect.name].get(name)
  const byCount = known ?? []
  if (!known) texts[dialect.name].set(name, byCount)
  return (byCount[count] ??= dialect.placeholders(make()))
}

/** Runs a prepared statement. The caller states the type of its rows. */
export async function runPrepared<Row>(
  tx: Tx,
  dialect: Dialect,
  statement: Prepared,
  parameters: Parameters<RunStatement>[1],
): Promise<Row[]> {
  return (await tx.run(textOf(dialect, statement), parameters)) as Row[]
}

/** Runs a prepared statement whose rows are not needed: in a shared transaction it waits for no round trip. */
export async function sendPrepared(
  tx: Tx,
  dialect: Dialect,
  statement: Prepared,
  parameters: Parameters<RunStatement>[1],
): Promise<void> {
  await tx.send(textOf(dialect, statement), parameters)
}

function textOf(dialect: Dialect, statement: Prepared): string {
  if (typeof statement === 'string') return preparedText(dialect, statement, 0, () => statement)
  const { text, item, count } = statement
  return preparedText(dialect, text, count, () => text.replaceAll('[items]', repeated(item, count)))
}

/** An item as often as a list has it. */
export function repeated(item: string, count: number): string {
  return Array.from({ length: count }, () => item).join(', ')
}

export type Value = string | number | null

const rowsAtMost = 512
const manyRows = 64
const fewRows = 8

/** The target of rows, and how a row becomes values. */
interface Into<Name extends keyof Tables, Row> {
  table: Name
  columns: readonly (keyof Tables[Name] & string)[]
  /** Values that are equal in every row, as SQL. */
  fixed?: Partial<Record<keyof Tables[Name] & string, string>>
  /** Adds the values of a row, in the order of the columns. */
  put: (row: Row, values: Value[]) => void
  onConflict?: string
}

/** Inserts many rows with few prepared statements. */
export async function insertRows<Name extends keyof Tables, Row>(
  { dialect, db }: Connection,
  into: Into<Name, Row>,
  rows: readonly Row[],
): Promise<void> {
  const { table, columns, fixed = {}, put, onConflict = '' } = into
  const name = `${table} ${columns.length} ${onConflict}`
  const checked = checkedPlaces(dialect, name, into)
  for (const chunk of chunksOf(rows)) {
    const text = preparedText(dialect, name, chunk.length, () => {
      const bound = checked ? [...columns, 'checksum'] : columns
      const names = [...bound, ...Object.keys(fixed)].join(', ')
      const tuple = [...bound.map(() => '?'), ...Object.values<string>(fixed)]
      return `insert into ${table} (${names}) values ${tuples(tuple, chunk.length)} ${onConflict}`
    })
    const values: Value[] = []
    for (const row of chunk) {
      const start = values.length
      put(row, values)
      if (checked) values.push(checksumOf(checked, (at) => (typeof at === 'number' ? values[start + at] : at.value)))
    }
    await db.send(text, values)
  }
}

/** A place in the values of a row, or the value that all rows have. */
type Place = number | { value: unknown }

const placesByName = new Map<string, readonly Place[] | null>()

/** The places of checked columns, computed once for each statement; null if its rows have no checksum. */
function checkedPlaces<Name extends keyof Tables, Row>(
  dialect: Dialect,
  name: string,
  { table, columns, fixed = {} }: Into<Name, Row>,
): readonly Place[] | null {
  if (dialect.name !== 'sqlite') return null
  const known = placesByName.get(name)
  if (known !== undefined) return known
  const [bound, same]: [readonly string[], Partial<Record<string, string>>] = [columns, fixed]
  const placeOf = (column: string) => (bound.includes(column) ? bound.indexOf(column) : constantOf(same[column]))
  const places = isChecked(table) ? checkedColumns[table].map(placeOf) : null
  placesByName.set(name, places)
  return places
}

/** The value of a number or a text in SQL. */
function constantOf(text: string | undefined): { value: unknown } {
  if (text === undefined) return { value: null }
  return { value: text.startsWith("'") ? text.slice(1, -1) : Number(text) }
}

/**
 * Runs a statement over a list of tuples, `[values]` in its text, again with few texts and few statements. `one` does
 * the same for a single tuple with the values `?1`, `?2`: most calls settle alone, and a list costs several times as
 * much.
 */
export async function overTuples(
  { dialect, db }: Connection,
  statement: { text: string; tuple: readonly string[]; one?: string },
  rows: readonly (readonly Value[])[],
): Promise<void> {
  const { one } = statement
  const [first] = rows
  if (one !== undefined && first && rows.length === 1) {
    await db.send(
      preparedText(dialect, one, 1, () => one),
      first,
    )
    return
  }
  for (const chunk of chunksOf(rows)) {
    const text = preparedText(dialect, statement.text, chunk.length, () =>
      statement.text.replace('[values]', `values ${tuples(statement.tuple, chunk.length)}`),
    )
    await db.send(text, chunk.flat())
  }
}

/**
 * Runs a select whose only parameters are lists for `in`, compiled once per combination of lengths. The lists are
 * padded to powers of two, so that there are few lengths.
 */
export async function selectIn<Row>(
  { dialect, db }: Connection,
  name: string,
  lists: readonly (readonly (string | number)[])[],
  build: () => Compilable<Row>,
): Promise<Row[]> {
  const lengths = lists.map((list) => list.length).join(' ')
  const text = preparedText(dialect, `${name} ${lengths}`, 0, () => build().compile().sql)
  return (await db.run(text, lists.flat())) as Row[]
}

/** Repeats the last value until the length is a power of two: few lengths of `in` lists mean few statements. */
export function padded<Item>(values: Iterable<Item>): Item[] {
  const list = [...new Set(values)]
  const last = list.at(-1)
  if (last === undefined || list.length === 1) return list
  const length = 2 ** Math.ceil(Math.log2(list.length))
  return [...list, ...Array.from({ length: length - list.length }, () => last)]
}

/**
 * Chunks of few sizes, because each size is a text whose prepared form takes about 2.5 KB per row: powers of two, then
 * eights, then the rest.
 */
function chunksOf<Row>(rows: readonly Row[]): Iterable<readonly Row[]> {
  return rows.length < fewRows ? (rows.length === 0 ? [] : [rows]) : manyChunksOf(rows)
}

function* manyChunksOf<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  let start = 0
  for (let size = rowsAtMost; size >= manyRows; size /= 2) {
    for (; rows.length - start >= size; start += size) yield rows.slice(start, start + size)
  }
  const left = rows.length - start
  const inEights = left - (left % fewRows)
  if (inEights > 0) yield rows.slice(start, start + inEights)
  if (left > inEights) yield rows.slice(start + inEights)
}

function tuples(tuple: readonly string[], count: number): string {
  return repeated(`(${tuple.join(', ')})`, count)
}

/** A list in pieces, because both engines limit the number of values per statement. */
export function* inChunks<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}

/**
 * Runs independent steps of a transaction such that on PostgreSQL their statements share messages. SQLite, which sends
 * none, runs one after the other. It ends when all have ended: no step may run a statement after its transaction.
 */
export async function together<Results extends unknown[]>(
  dialect: Dialect,
  ...steps: { [Index in keyof Results]: () => Promise<Results[Index]> }
): Promise<Results> {
  const results: unknown[] = []
  if (!dialect.locksRows) {
    for (const step of steps) results.push(await step())
    return results as Results
  }
  const ended = await Promise.allSettled(steps.map((step) => step()))
  for (const end of ended) {
    if (end.status === 'rejected') throw end.reason
    results.push(end.value)
  }
  return results as Results
}

type KeyEnd = Pick<KeyRow, 'revoked' | 'revoked_at' | 'expires_at'>

/**
 * The time from which a key counts as revoked. A revocation is a state, so it precedes any clock; an overlap ends at
 * its time.
 */
export function revokedFrom({ revoked, revoked_at }: Pick<KeyEnd, 'revoked' | 'revoked_at'>): number | null {
  return revoked === 1 ? -Infinity : revoked_at
}

/** Whether a key is neither revoked nor expired. */
export function isWorkingKey(key: KeyEnd, at: number): boolean {
  return (revokedFrom(key) ?? Infinity) > at && (key.expires_at ?? Infinity) > at
}

/** The same as a condition on `keys`. */
export function workingKeys(at: number) {
  return (eb: ExpressionBuilder<Tables, 'keys'>) =>
    eb.and([
      eb('keys.revoked', '=', 0),
      eb.or([eb('keys.revoked_at', 'is', null), eb('keys.revoked_at', '>', at)]),
      eb.or([eb('keys.expires_at', 'is', null), eb('keys.expires_at', '>', at)]),
    ])
}
