import type { OpenDatabase } from '../../harness/engines.ts'

/** The rows of a statement without parameters. The caller asserts their type. */
export async function rowsOf<Row>({ db }: OpenDatabase, text: string): Promise<Row[]> {
  return (await db.run(text, [])) as Row[]
}
