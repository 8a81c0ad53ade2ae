import { CompiledQuery, type Compilable, type Insertable } from 'kysely'
import type { Dialect, Tx } from '../foundation/database/dialect.ts'
import type { Tables } from '../foundation/database/tables.ts'

const rowsAtMost = 512
const texts = new Map<string, string>()
const selects = new Map<string, CompiledQuery>()

/**
 * Inserts many rows with few statements. Row counts are split into powers of two and the texts kept, because compiling
 * a statement of this size costs more than running it, and the engine keeps its prepared form by the text.
 */
export async function insertRows<Name extends keyof Tables>(
  tx: Tx,
  dialect: Dialect,
  into: { table: Name; columns: readonly (keyof Tables[Name] & string)[]; onConflict?: string },
  rows: readonly Insertable<Tables[Name]>[],
): Promise<void> {
  const { table, columns, onConflict = '' } = into
  for (const chunk of powersOfTwo(rows)) {
    const name = `${dialect} ${table} ${columns.length} ${chunk.length} ${onConflict}`
    const text = textOf(name, () => {
      const values = tuples(
        dialect,
        chunk.length,
        columns.map(() => '?'),
      )
      return `insert into ${table} (${columns.join(', ')}) values ${values} ${onConflict}`
    })
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the columns are those of the row
    const values = chunk.flatMap((row) => columns.map((column) => (row as Record<string, unknown>)[column] ?? null))
    await tx.executeQuery(CompiledQuery.raw(text, values))
  }
}

/** Runs a statement over a list of tuples, `[values]` in its text, again with few texts and few statements. */
export async function overTuples(
  tx: Tx,
  dialect: Dialect,
  statement: { text: string; tuple: readonly string[] },
  rows: readonly (readonly (string | number | null)[])[],
): Promise<void> {
  for (const chunk of powersOfTwo(rows)) {
    const text = textOf(`${dialect} ${chunk.length} ${statement.text}`, () =>
      statement.text.replace('[values]', `values ${tuples(dialect, chunk.length, statement.tuple)}`),
    )
    await tx.executeQuery(CompiledQuery.raw(text, chunk.flat()))
  }
}

/**
 * Runs a select whose only parameters are lists for `in`, in their order, compiled once for each of their lengths.
 * The lists are padded to powers of two, so that there are few lengths.
 */
export async function selectIn<Row>(
  tx: Tx,
  dialect: Dialect,
  name: string,
  lists: readonly (readonly (string | number)[])[],
  build: () => Compilable<Row>,
): Promise<Row[]> {
  const known = `${dialect} ${name} ${lists.map((list) => list.length).join(' ')}`
  const compiled = selects.get(known) ?? build().compile()
  selects.set(known, compiled)
  const { rows } = await tx.executeQuery<Row>({ ...compiled, parameters: lists.flat() })
  return rows
}

/** Repeats the last value until the length is a power of two: `in` lists of few lengths keep the statements few. */
export function padded<Value>(values: Iterable<Value>): Value[] {
  const list = [...new Set(values)]
  const last = list.at(-1)
  if (last === undefined) return list
  const length = 2 ** Math.ceil(Math.log2(list.length))
  return [...list, ...Array.from({ length: length - list.length }, () => last)]
}

function* powersOfTwo<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  let start = 0
  for (let size = rowsAtMost; size >= 1; size /= 2) {
    for (; rows.length - start >= size; start += size)
      yield start === 0 && rows.length === size ? rows : rows.slice(start, start + size)
  }
}

function tuples(dialect: Dialect, count: number, tuple: readonly string[]): string {
  const one = `(${tuple.join(', ')})`
  const all = Array.from({ length: count }, () => one).join(', ')
  let parameter = 0
  return dialect === 'postgres' ? all.replaceAll('?', () => `$${++parameter}`) : all
}

function textOf(name: string, make: () => string): string {
  const known = texts.get(name)
  if (known !== undefined) return known
  const text = make()
  texts.set(name, text)
  return text
}
