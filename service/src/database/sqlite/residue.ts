import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Connection, Database } from '../engine/dialect.ts'
import { Failure } from '../../foundation/failure.ts'
import { copyLog, withoutCheckpoint } from './background-checkpoint.ts'
import { apartFromCopies } from './reader/copy-sqlite.ts'
import { askReader } from './reader/reader.ts'
import type { DeletedBytes } from './reader/residue-search.ts'
import type { FreeSpaceFound } from './reader/search-free-space.ts'
import { busyTimeoutMs, mainFile } from './connection/sqlite.ts'

const reportsAtMostMs = 30_000
const tryEveryMs = 50

/** Copies the write-ahead log into the database file and empties it, so that no earlier page image is left. */
export async function emptyLog(database: Database): Promise<void> {
  const isEmpty = await apartFromCopies(async () => {
    // Most of it is copied while charges continue.
    await copyLog()
    for (const began = performance.now(); performance.now() - began < reportsAtMostMs; await sleep(tryEveryMs))
      if (await withoutCheckpoint(() => database.single(emptyNow))) return true
    return false
  })
  if (!isEmpty) {
    const detail =
      'Another program reads the store, so its log cannot be emptied. Stop that program, and run the erasure again.'
    throw new Failure('store_unavailable', { detail, retryAfterSeconds: 5 })
  }
  // The engine does not wait until the truncation is on the disk: after a power cut the old pages would be back.
  await askReader({ kind: 'sync', path: `${await database.read(({ db }) => mainFile(db))}-wal` })
}

/**
 * False while a report reads the log. Otherwise the engine, and with it every charge, would wait for the report to end.
 */
async function emptyNow({ db }: Connection): Promise<boolean> {
  await sql`pragma busy_timeout = 0`.execute(db)
  try {
    const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db)
    return rows[0]?.busy === 0
  } finally {
    await sql`pragma busy_timeout = ${sql.lit(busyTimeoutMs)}`.execute(db)
  }
}

/** Deleted rows to search for in the unused parts of the file, and the pages to read. */
export interface ResidueSearch {
  deleted: DeletedBytes
  afterPage: number
  pages: number
}

/** Searches the unused parts of a chunk of the database file for deleted rows, in a separate process. */
export async function searchFile(database: Database, search: ResidueSearch): Promise<FreeSpaceFound | null> {
  // The file does not change while it is read, so the log cannot be emptied meanwhile.
  const path = await database.read(({ db }) => mainFile(db))
  return apartFromCopies(() => askReader({ kind: 'search', path, ...search }))
}

/** Rewrites the file without its unused space. This blocks the store: 2 to 5 s for 100,000 records. */
export async function rewriteFile(database: Database): Promise<void> {
  await database.single(async ({ db }) => {
    // On a large store the copy that VACUUM makes would not fit into memory.
    await sql`pragma temp_store = file`.execute(db)
    await sql`vacuum`.execute(db)
    await sql`pragma temp_store = memory`.execute(db)
  })
  await emptyLog(database)
}
