import type { Connection, Database } from './engine/dialect.ts'
import {
  endRewrites,
  noteDeleted,
  readBytesLeft,
  rewriteTables,
  type BytesLeft,
  type Rewritten,
} from './postgres/rewrite-tables.ts'
import { emptyLog, rewriteFile, searchFile, type ResidueSearch } from './sqlite/residue.ts'
import type { FreeSpaceFound } from './sqlite/reader/search-free-space.ts'

/*
 * The embedded engine overwrites deleted rows, so its file is rewritten only if a search finds traces of them, before
 * the erasure answers. PostgreSQL only marks space as free: the tables of deleted rows are noted, and rewritten later.
 */

/** Removes earlier page images from the log of the embedded engine. */
export async function checkpointLog(database: Database, _args: Record<string, never> = {}): Promise<void> {
  if (database.dialect.name === 'sqlite') await emptyLog(database)
}

/** Searches a chunk of the embedded engine's file for deleted rows. */
export async function scanResidue(database: Database, search: ResidueSearch): Promise<FreeSpaceFound> {
  if (database.dialect.name === 'postgres') return { found: false, next: search.afterPage, done: true }
  return (await searchFile(database, search)) ?? { found: true, next: search.afterPage, done: true }
}

/** Rewrites the file of the embedded engine without its unused space. */
export async function purgeResidue(database: Database, _args: Record<string, never> = {}): Promise<void> {
  if (database.dialect.name === 'sqlite') await rewriteFile(database)
}

/** Notes which tables of PostgreSQL have deleted rows; returns the number of the rewrite that will remove them. */
export async function noteBytesLeft({ db, dialect }: Connection, at: number): Promise<number | null> {
  return dialect.name === 'postgres' ? noteDeleted(db, at) : null
}

/** An operation that deletes personal data for good: its transaction notes which tables must be rewritten. */
export function leavingBytes<Args, Result>(work: (connection: Connection, args: Args) => Promise<Result>) {
  return async (connection: Connection, args: Args & { at: number }): Promise<Result> => {
    const result = await work(connection, args)
    await noteBytesLeft(connection, args.at)
    return result
  }
}

/** The deleted rows that are still in files; null if the files have no such rows. On the embedded engine there never are. */
export async function bytesLeft(connection: Connection, _args: null): Promise<BytesLeft | null> {
  return connection.dialect.name === 'postgres' ? readBytesLeft(connection) : null
}

/** Rewrites the tables of PostgreSQL that contain deleted rows. */
export async function rewriteResidue(database: Database, { now }: { now: number }): Promise<Rewritten> {
  return database.dialect.name === 'postgres' ? rewriteTables(database, now) : { done: [], left: [] }
}

/** Notes the end of rewrites whose tables are all rewritten. */
export async function endResidue({ db, dialect }: Connection, { now }: { now: number }): Promise<void> {
  if (dialect.name === 'postgres') await endRewrites(db, now)
}
