import { long, report, single } from './engine/operation.ts'
import { sql } from 'kysely'
import { copySqlite } from './sqlite/connection/copy-sqlite.ts'
import type { Connection, Database } from './engine/dialect.ts'
import { mainFile } from './sqlite/connection/sqlite.ts'

/** The row counts of a store. */
export interface StoreCounts {
  entries: number
  calls: number
  entities: number
  versions: number
  payloads: number
  suppressions: number
}

/** Copies one snapshot of the store into a new file; only on the embedded engine. */
async function backupStore(database: Database, { path }: { path: string }): Promise<void> {
  if (database.dialect.name === 'postgres') throw new Error('only the embedded engine copies its store')
  await copySqlite({ source: await database.read(({ db }) => mainFile(db)), target: path })
}

/** Leaves a copy as a single plain file that can be read from a read-only disk. */
async function sealCopy({ db, dialect }: Connection, _args: null): Promise<void> {
  if (dialect.name === 'sqlite') await sql`pragma journal_mode = delete`.execute(db)
}

const counted = {
  entries: 'ledger_entries',
  calls: 'calls',
  entities: 'entities',
  versions: 'versions',
  payloads: 'payloads',
  suppressions: 'suppressions',
} as const

/** Counts what matters after a restore. */
async function countStore({ db }: Connection, _args: null): Promise<StoreCounts> {
  const counts: StoreCounts = { entries: 0, calls: 0, entities: 0, versions: 0, payloads: 0, suppressions: 0 }
  for (const name of ['entries', 'calls', 'entities', 'versions', 'payloads', 'suppressions'] as const) {
    const table = db.selectFrom(counted[name]).select((of) => of.fn.countAll<number>().as('count'))
    counts[name] = Number((await table.executeTakeFirstOrThrow()).count)
  }
  return counts
}

export const backupOperations = {
  backupStore: long(backupStore),
  sealCopy: single(sealCopy),
  countStore: report(countStore, 'long'),
}
export type BackupOperations = typeof backupOperations
