import type { Dialect, RunStatement, Tx } from '../engine/dialect.ts'

/*
 * Prepared statements for hot paths: building one with Kysely each time costs more than running it. Every other statement
 * goes through Kysely.
 */

/** A text with parameters `?` in order. In a list, `[items]` stands for `count` items that are all equal. */
export type Prepared = string | { text: string; item: string; count: number }

/** The texts by engine, by name and by number of items. The engine keeps the prepared form by the text. */
const texts: Record<Dialect['name'], Map<string, string[]>> = { sqlite: new Map(), postgres: new Map() }

/** The text of a statement in the engine's form. `make` builds it once for each number of items. */
export function preparedText(dialect: Dialect, name: string, count: number, make: () => string): string {
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
