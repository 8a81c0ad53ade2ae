import { sql } from 'kysely'
import type { Database } from '../../../src/database/dialect.ts'

/** The rows of a statement without parameters. The caller says of what type they are. */
export async function rowsOf<Row>({ db, direct }: Database, text: string): Promise<Row[]> {
  return (direct ? await direct.run(text, []) : (await sql.raw(text).execute(db)).rows) as Row[]
}
