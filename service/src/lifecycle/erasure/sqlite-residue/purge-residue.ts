import { closeSync, openSync, readSync } from 'node:fs'
import { sql } from 'kysely'
import type { Database, Tx } from '../../../database/dialect.ts'
import { withoutFolding } from '../../../database/sqlite/background-checkpoint.ts'
import { mainFile } from '../../../database/sqlite/sqlite.ts'
import { syncFile } from '../../../foundation/durable-file.ts'
import { type DeletedBytes, residueSearch } from './residue-search.ts'

/** The tables that personal data stands in. */
const personal = [
  'entities',
  'entity_words',
  'aliases',
  'former_aliases',
  'versions',
  'fetches',
  'payloads',
  'calls',
  'call_details',
  'idempotency',
  'watches',
  'batch_rows',
  'batch_results',
  'events',
  'webhook_deliveries',
]

/** Empties the write-ahead log of the embedded engine into the database file, so that no earlier page image is left. */
export async function foldLog(database: Database, _args: Record<string, never> = {}): Promise<void> {
  if (database.dialect === 'sqlite') await emptyLog(database)
}

async function emptyLog(database: Database): Promise<void> {
  const { rows } = await withoutFolding(() =>
    database.read(({ db }) => sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db)),
  )
  if (rows[0]?.busy !== 0)
    throw new Error('the write-ahead log is being read, by a backup perhaps: run the erasure again')
  // The engine does not wait until the cut is on the disk: after a power cut the old pages would be back.
  await syncFile(`${await database.read(({ db }) => mainFile(db))}-wal`)
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
  database: Database,
  { deleted, afterPage, pages }: { deleted: DeletedBytes; afterPage: number; pages: number },
): Promise<ResidueScan> {
  if (database.dialect === 'postgres') return { found: true, next: afterPage, done: true }
  const path = await database.read(({ db }) => mainFile(db))
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
export async function purgeResidue(database: Database, _args: Record<string, never> = {}): Promise<void> {
  if (database.dialect === 'postgres') return database.read(({ db }) => vacuumTables(db))
  await database.read(async ({ db }) => {
    // The copy that VACUUM makes would not fit into memory on a large store.
    await sql`pragma temp_store = file`.execute(db)
    await sql`vacuum`.execute(db)
    await sql`pragma temp_store = memory`.execute(db)
  })
  await emptyLog(database)
}

function vacuumTables(db: Tx): Promise<void> {
  return db.connection().execute(async (connection) => {
    await sql`set statement_timeout = 0`.execute(connection)
    try {
      for (const table of personal) await sql`vacuum (full) ${sql.table(table)}`.execute(connection)
    } finally {
      await sql`reset statement_timeout`.execute(connection)
    }
  })
}

/** What the header of a SQLite file says about its pages. */
interface PageLayout {
  pageBytes: number
  /** Without what extensions reserve at the end of every page. */
  usableBytes: number
}

/** Reads the layout out of the first 100 bytes of a database file (sqlite.org/fileformat.html, section 1.3). */
function pageLayout(header: Uint8Array): PageLayout {
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength)
  const size = view.getUint16(16)
  const pageBytes = size === 1 ? 65_536 : size
  return { pageBytes, usableBytes: pageBytes - view.getUint8(20) }
}

// Interior and leaf pages of indexes and tables.
const btreePages = new Set([2, 5, 10, 13])
const interiorPages = new Set([2, 5])

/**
 * The parts of a page that hold no row: the gap between the cell pointers and the cells, and the free blocks. A page
 * that is no b-tree page is given whole: it is free, or it continues a long row, which nobody can tell from the page.
 */
function freePageBytes(page: Uint8Array, number: number, { usableBytes }: PageLayout): Uint8Array[] {
  // The first page begins with the header of the file.
  const start = number === 1 ? 100 : 0
  const type = page[start] ?? 0
  if (!btreePages.has(type)) return [page]
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength)
  const pointers = start + (interiorPages.has(type) ? 12 : 8) + 2 * view.getUint16(start + 3)
  const cells = view.getUint16(start + 5) || 65_536
  const unused = [page.subarray(pointers, Math.min(cells, usableBytes))]
  for (let block = view.getUint16(start + 1); block > 0 && block + 4 <= usableBytes;) {
    const next = view.getUint16(block)
    unused.push(page.subarray(block + 4, block + view.getUint16(block + 2)))
    // Free blocks are in ascending order; anything else is a page that is being misread.
    block = next > block ? next : 0
  }
  return unused
}
