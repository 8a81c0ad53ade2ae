import { DatabaseSync } from 'node:sqlite'
import { zstdDecompressSync } from 'node:zlib'

/** The number of checked tables, before the answer. */
export interface ReaderProgress {
  done: number
  all: number
}

/** Compressed columns: their checksums are compared by unpacking them. */
const packed: Record<string, string> = { versions: 'body', payloads: 'bytes' }

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

/** The first compressed value of a table whose bytes have changed. */
function unreadable(store: DatabaseSync, table: string): string[] {
  const column = packed[table]
  if (column === undefined) return []
  for (const row of store.prepare(`select rowid as place, ${column} as bytes from ${table}`).iterate()) {
    try {
      const bytes = row['bytes']
      if (bytes !== null) zstdDecompressSync(bytes as Uint8Array)
    } catch {
      return [`row ${String(row['place'])} of ${table} has changed since it was written`]
    }
  }
  return []
}
