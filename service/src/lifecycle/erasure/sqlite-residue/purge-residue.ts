import { sql } from 'kysely'
import type { Connection, Database } from '../../../database/dialect.ts'
import { withoutCheckpoint } from '../../../database/sqlite/background-checkpoint.ts'
import { mainFile } from '../../../database/sqlite/sqlite.ts'
import { apartFromCopies } from '../../../database/sqlite/copy-sqlite.ts'
import { askReader } from '../../../database/sqlite/reader/reader.ts'
import type { DeletedBytes } from '../../../database/sqlite/reader/residue-search.ts'
import type { FreeSpaceFound } from '../../../database/sqlite/reader/search-free-space.ts'
import { rewriteTables } from '../rewrite-tables.ts'
import { Failure } from '../../../foundation/failure.ts'

/** Empties the write-ahead log of the embedded engine into the database file, so that no earlier page image is left. */
export async function checkpointLog(database: Database, _args: Record<string, never> = {}): Promise<void> {
  if (database.dialect === 'sqlite') await emptyLog(database)
}

async function emptyLog(database: Database): Promise<void> {
  const empty = ({ db }: Connection) => sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db)
  const { rows } = await apartFromCopies(() => withoutCheckpoint(() => database.single(empty)))
  if (rows[0]?.busy !== 0) {
    const detail = 'Another program reads the store, so its log cannot be emptied: end that, and run the erasure again.'
    throw new Failure('store_unavailable', { detail, retryAfterSeconds: 5 })
  }
  // The engine does not wait until the cut is on the disk: after a power cut the old pages would be back.
  await askReader({ kind: 'sync', path: `${await database.read(({ db }) => mainFile(db))}-wal` })
}

/**
 * Searches the unused parts of a chunk of the database file for deleted rows, in a process of its own. Where one is found,
 * and only there, the file must be rewritten. PostgreSQL's tables always are.
 */
export async function scanResidue(
  database: Database,
  { deleted, afterPage, pages }: { deleted: DeletedBytes; afterPage: number; pages: number },
): Promise<FreeSpaceFound> {
  const all = { found: true, next: afterPage, done: true }
  if (database.dialect === 'postgres') return all
  // The file does not change while it is read, and so the log cannot be emptied meanwhile.
  const path = await database.read(({ db }) => mainFile(db))
  return (await apartFromCopies(() => askReader({ kind: 'search', path, deleted, afterPage, pages }))) ?? all
}

/**
 * Rewrites the store without its unused space. On the embedded engine it blocks the store while it runs (2 to 5 s for 100,000
 * records), so it is for the cases in which `scanResidue` found something. Gives the tables of PostgreSQL that are still to come.
 */
export async function purgeResidue(database: Database, _args: Record<string, never> = {}): Promise<{ left: string[] }> {
  if (database.dialect === 'postgres') return { left: (await rewriteTables(database)).left }
  await database.single(async ({ db }) => {
    // The copy that VACUUM makes would not fit into memory on a large store.
    await sql`pragma temp_store = file`.execute(db)
    await sql`vacuum`.execute(db)
    await sql`pragma temp_store = memory`.execute(db)
  })
  await emptyLog(database)
  return { left: [] }
}
