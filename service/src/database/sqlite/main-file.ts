import { sql } from 'kysely'
import type { Database } from '../dialect.ts'

/** The file that the embedded engine has open. */
export async function mainFile(db: Database['db']): Promise<string> {
  const { rows } = await sql<{ name: string; file: string }>`pragma database_list`.execute(db)
  return rows.find((row) => row.name === 'main')?.file ?? ''
}
