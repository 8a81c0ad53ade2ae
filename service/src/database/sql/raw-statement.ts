import type { Dialect, RunStatement, Tx } from '../dialect.ts'

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

/** The same for a statement whose lists of `count` equal items, each written as `[items]`, have a length of their own each time. */
export function rawStatementList(text: string, item: string, count: number): RawStatement {
  const byCount = texts.get(text) ?? []
  if (byCount.length === 0) texts.set(text, byCount)
  return (byCount[count] ??= rawStatement(
    text.replaceAll('[items]', Array.from({ length: count }, () => item).join(', ')),
  ))
}

/** Runs a raw statement. The caller says of what type its rows are. */
export async function runRawStatement<Row>(
  tx: Tx,
  text: RawStatement,
  dialect: Dialect,
  parameters: Parameters<RunStatement>[1],
): Promise<Row[]> {
  return (await tx.run(text[dialect], parameters)) as Row[]
}
