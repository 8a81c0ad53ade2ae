import { CompiledQuery, type Kysely } from 'kysely'
import type { Dialect, RunStatement } from '../dialect.ts'
import type { Tables } from '../tables/tables.ts'

/** A statement as both engines want it. */
export type RawStatement = Record<Dialect, string>

/**
 * A statement that is run with every fetch or lookup: building it each time costs more than running it. Its
 * parameters are `?`, in order.
 */
export function rawStatement(text: string): RawStatement {
  let parameter = 0
  return { sqlite: text, postgres: text.replaceAll('?', () => `$${++parameter}`) }
}

const texts = new Map<string, RawStatement[]>()

/** The same for a statement whose list of `count` equal items, written as `[items]`, has a length of its own each time. */
export function rawStatementList(text: string, item: string, count: number): RawStatement {
  const byCount = texts.get(text) ?? []
  if (byCount.length === 0) texts.set(text, byCount)
  return (byCount[count] ??= rawStatement(
    text.replace('[items]', Array.from({ length: count }, () => item).join(', ')),
  ))
}

const shortWays = new WeakMap<Kysely<Tables>, RunStatement>()

/** Lets raw statements of a transaction go past Kysely, whose layers cost more than most of the statements do. */
export function goDirect(tx: Kysely<Tables>, run: RunStatement): void {
  if (shortWays.get(tx) !== run) shortWays.set(tx, run)
}

/** Runs a raw statement. The caller says of what type its rows are. */
export async function runRawStatement<Row>(
  db: Kysely<Tables>,
  text: RawStatement,
  dialect: Dialect,
  parameters: readonly (string | number | null | Uint8Array)[],
): Promise<Row[]> {
  const direct = shortWays.get(db)
  if (direct) return (await direct(text[dialect], parameters)) as Row[]
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(text[dialect], [...parameters]))
  return rows
}
