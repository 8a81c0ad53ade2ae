import { closeSync, openSync, readSync } from 'node:fs'
import { sql } from 'kysely'
import type { Database } from '../../../database/dialect.ts'
import { mainFile } from '../../../database/sqlite/sqlite.ts'
import { syncFile } from '../../../foundation/durable-file.ts'
import { residueSearch, type DeletedBytes } from './residue-search.ts'
import { pageLayout, freePageBytes } from './free-page-bytes.ts'

/** The tables that personal data stands in. */
const personal = ['entities', 'aliases', 'former_aliases', 'versions', 'fetches', 'payloads', 'calls', 'idempotency']

/** Empties the write-ahead log of the embedded engine into the database file, so that no earlier page image is left. */
export async function foldLog({ db, dialect }: Database, _args: Record<string, never> = {}): Promise<void> {
  if (dialect === 'sqlite') await emptyLog(db)
}

async function emptyLog(db: Database['db']): Promise<void> {
  const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db)
  if (rows[0]?.busy !== 0)
    throw new Error('the write-ahead log is being read, by a backup perhaps: run the erasure again')
  // The engine does not wait until the cut is on the disk: after a power cut the old pages would be back.
  await syncFile(`${await mainFile(db)}-wal`)
}

export interface ResidueScan {
  found: boolean
  /** Pass it as `afterPage` for the next chunk. */
  next: number
  done: boolean
}

/**
 * Searches the unused parts of a chunk of the database file for deleted rows. `secure_delete` overwrites a deleted row,
 * but not the copy of it that an earlier split of its page may have left in the gap of another page (seen for one name
 * in 6,000). Where one is found, and only there, the file must be rewritten. PostgreSQL's tables always are.
 */
export async function scanResidue(
  { db, dialect }: Database,
  { deleted, afterPage, pages }: { deleted: DeletedBytes; afterPage: number; pages: number },
): Promise<ResidueScan> {
  if (dialect === 'postgres') return { found: true, next: afterPage, done: true }
  const path = await mainFile(db)
  const layout = pageLayout(readBytes(path, 0, 100))
  const chunk = readBytes(path, afterPage * layout.pageBytes, pages * layout.pageBytes)
  const search = residueSearch(deleted)
  const count = Math.floor(chunk.length / layout.pageBytes)
  for (let index = 0; index < count; index++) {
    const page = chunk.subarray(index * layout.pageBytes, (index + 1) * layout.pageBytes)
    if (freePageBytes(page, afterPage + index + 1, layout).some(search))
      return { found: true, next: afterPage + index, done: true }
  }
  return { found: false, next: afterPage + count, done: count < pages }
}

function readBytes(path: string, offset: number, length: number): Uint8Array {
  const file = openSync(path, 'r')
  try {
    const bytes = new Uint8Array(length)
    return bytes.subarray(0, readSync(file, bytes, 0, length, offset))
  } finally {
    closeSync(file)
  }
}

/**
 * Rewrites the store without its unused space. It blocks the store while it runs (2 to 5 s for 100,000 records), so it
 * is for the cases in which `scanResidue` found something, and for PostgreSQL, whose plain VACUUM only marks space as free.
 */
export async function purgeResidue({ db, dialect }: Database, _args: Record<string, never> = {}): Promise<void> {
  if (dialect === 'sqlite') {
    // The copy that VACUUM makes would not fit into memory on a large store.
    await sql`pragma temp_store = file`.execute(db)
    await sql`vacuum`.execute(db)
    await sql`pragma temp_store = memory`.execute(db)
    await emptyLog(db)
    return
  }
  await db.connection().execute(async (connection) => {
    await sql`set statement_timeout = 0`.execute(connection)
    try {
      for (const table of personal) await sql`vacuum (full) ${sql.table(table)}`.execute(connection)
    } finally {
      await sql`reset statement_timeout`.execute(connection)
    }
  })
}
