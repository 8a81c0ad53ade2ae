import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { migrations } from './migrations/migrate.ts'

/** The numbers of the migrations that the store in a file lacks. It changes nothing. */
export async function missingOfFile(path: string): Promise<number[]> {
  const store = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  try {
    return lackedBy(store.prepare('select number from migrations').all())
  } finally {
    store.close()
  }
}

/** The numbers of the migrations that a database lacks; null if it contains no store. It changes nothing. */
export async function missingOfDatabase(url: string): Promise<number[] | null> {
  // A file needs no PostgreSQL client.
  const { openPostgres } = await import('./postgres/postgres.ts')
  const { db } = openPostgres(url, () => undefined)
  try {
    const { rows: found } = await sql<{ name: string | null }>`select to_regclass('migrations') as name`.execute(db)
    if (!found[0]?.name) return null
    const { rows } = await sql<{ number: number }>`select number from migrations`.execute(db)
    return rows.length === 0 ? null : lackedBy(rows)
  } finally {
    await db.destroy()
  }
}

function lackedBy(rows: readonly Record<string, unknown>[]): number[] {
  const applied = new Set(rows.map((row) => Number(row['number'])))
  return migrations.map(({ number }) => number).filter((number) => !applied.has(number))
}
