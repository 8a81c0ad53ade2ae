import type { Dialect, RunStatement, Tx } from '../dialect.ts'

/** A statement in the form of both engines. */
export type RawStatement = Record<Dialect, string>

/**
 * A statement that runs with every fetch or lookup: building it each time costs more than running it. Its parameters
 * are `?`, in order.
 */
export function rawStatement(text: string): RawStatement {
  let parameter = 0
  return { sqlite: text, postgres: text.replaceAll('?', () => `$${++parameter}`) }
}

const texts = new Map<string, RawStatement[]>()

/** The same for a statement with lists of variable length: each `[items]` stands for `count` equal items. */
export function rawStatementList(text: string, item: string, count: number): RawStatement {
  const byCount = texts.get(text) ?? []
  if (byCount.length === 0) texts.set(text, byCount)
  return (byCount[count] ??= rawStatement(
    text.replaceAll('[items]', Array.from({ length: count }, () => item).join(', ')),
  ))
}

/** Runs a raw statement. The caller states the type of its rows. */
export async function runRawStatement<Row>(
  tx: Tx,
  text: RawStatement,
  dialect: Dialect,
  parameters: Parameters<RunStatement>[1],
): Promise<Row[]> {
  return (await tx.run(text[dialect], parameters)) as Row[]
}
