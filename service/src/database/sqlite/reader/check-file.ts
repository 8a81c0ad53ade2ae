import { DatabaseSync } from 'node:sqlite'
import { packedColumns, unpack } from '../../packing/pack.ts'
import { checkedColumns, isChecked, rowChecksum } from '../../packing/row-checksum.ts'

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
    const checksRows = how === 'full' && hasRowChecksums(store)
    const rows = store.prepare("select name from sqlite_schema where type = 'table'").all()
    const tables = ['sqlite_schema', ...rows.map((row) => String(row['name']))]
    for (const [index, table] of tables.entries()) {
      onProgress({ done: index, all: tables.length })
      const lines = store.prepare(`pragma ${check}("${table}")`).all()
      damage.push(...lines.map((line) => String(line[check])).filter((line) => line !== 'ok'))
      if (how === 'full') damage.push(...unreadable(store, table))
      if (checksRows) damage.push(...changed(store, table))
    }
    if (checksRows) damage.push(...strayEntities(store))
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

/** Backups of earlier versions have no checksums of rows, and may lack columns. */
function hasRowChecksums(store: DatabaseSync): boolean {
  return store.prepare("select 1 from pragma_table_info('calls') where name = 'checksum'").get() !== undefined
}

/** The first row of a table that differs from its checksum, which is null in rows of earlier versions. */
function changed(store: DatabaseSync, table: string): string[] {
  if (!isChecked(table)) return []
  const columns = checkedColumns[table].join(', ')
  const rows = store.prepare(`select rowid as place, checksum, ${columns} from ${table} where checksum is not null`)
  for (const row of rows.iterate()) {
    if (row['checksum'] !== rowChecksum(table, row))
      return [`row ${String(row['place'])} of ${table} has changed since it was written`]
  }
  return []
}

/** The first entity whose served version is missing or belongs to another one. */
function strayEntities(store: DatabaseSync): string[] {
  const rows = store.prepare(`select entities.id from entities left join versions on versions.id = version_id
    where version_id is not null and versions.entity_id is not entities.id limit 1`)
  return rows.all().map(({ id }) => `record ${String(id)} has a version that is missing or of another record`)
}
