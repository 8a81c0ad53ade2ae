import { DatabaseSync } from 'node:sqlite'
import { packedColumns, unpack } from '../../packing/pack.ts'

/** The number of checked tables, before the answer. */
export interface ReaderProgress {
  done: number
  all: number
}

/**
 * Checks table by table, because a check of the whole file reports nothing until its end. A quick check skips comparing
 * indexes with their tables and unpacking records, which takes most of the time. Checking the schema table includes the
 * list of free pages.
 */
export function damageOf(
  { path, how }: { path: string; how: 'quick' | 'full' },
  onProgress: (progress: ReaderProgress) => void,
): string[] {
  const check = how === 'full' ? 'integrity_check' : 'quick_check'
  const damage: string[] = []
  const store = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  try {
    const rows = store.prepare("select name from sqlite_schema where type = 'table'").all()
    const tables = ['sqlite_schema', ...rows.map((row) => String(row['name']))]
    for (const [index, table] of tables.entries()) {
      onProgress({ done: index, all: tables.length })
      const lines = store.prepare(`pragma ${check}("${table}")`).all()
      damage.push(...lines.map((line) => String(line[check])).filter((line) => line !== 'ok'))
      if (how === 'full') damage.push(...unreadable(store, table))
    }
  } catch (error) {
    // Some damage makes the engine fail instead of being listed.
    damage.push(error instanceof Error ? error.message : String(error))
  } finally {
    store.close()
  }
  return damage.slice(0, 10)
}

/** The first packed value of a table whose bytes have changed: unpacking compares its checksum. */
function unreadable(store: DatabaseSync, table: string): string[] {
  const column = packedColumns[table]
  if (column === undefined) return []
  for (const row of store.prepare(`select rowid as place, ${column} as bytes from ${table}`).iterate()) {
    try {
      const bytes = row['bytes']
      if (bytes !== null) unpack(bytes as Uint8Array)
    } catch {
      return [`row ${String(row['place'])} of ${table} has changed since it was written`]
    }
  }
  return []
}
