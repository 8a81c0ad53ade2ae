import type { Kind } from '@vitae/contract'
import type { Tx, Connection, Database } from '../../../database/dialect.ts'
import type { Alias } from '../../../foundation/identifier.ts'
import { aliasText } from '../../../records/identifiers/alias.ts'
import { inChunks } from '../../../database/sql/bulk-rows.ts'
import type { EntityWordRow } from '../../../database/tables/records.ts'
import type { DeletedBytes } from '../../../database/sqlite/reader/residue-search.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { copyLog, withoutCheckpoint } from '../../../database/sqlite/background-checkpoint.ts'
import { busyTimeoutMs, mainFile } from '../../../database/sqlite/sqlite.ts'
import { apartFromCopies } from '../../../database/sqlite/copy-sqlite.ts'
import { askReader } from '../../../database/sqlite/reader/reader.ts'
import type { FreeSpaceFound } from '../../../database/sqlite/reader/search-free-space.ts'
import { rewriteTables } from '../rewrite-tables.ts'
import { Failure } from '../../../foundation/failure.ts'
import { wordRows } from '../../../records/versions/add-version.ts'

/** Texts of neighbouring columns, side by side as in a row. */
function columns(...texts: string[]): Uint8Array {
  return new Uint8Array(Buffer.from(texts.join('')))
}

/** Long enough to search for without the columns before it, whose bytes may have been overwritten in a leftover row. */
const tellingLength = 8

/** A name as it appears in the rows and indexes of aliases and fetches. */
export function bytesOfName(kind: Kind, alias: Alias): Uint8Array[] {
  if (alias.value.length >= tellingLength) return [columns(alias.value)]
  return [columns(kind, alias.type, alias.value), columns(kind, aliasText(alias))]
}

/** A row of the search index. Others share its word, so the search includes the entity's id as SQLite encodes it. */
function bytesOfWord({ kind, word, entity_id: id }: EntityWordRow): Uint8Array {
  const number = Buffer.alloc(8)
  number.writeBigInt64BE(BigInt(id))
  const width = [1, 2, 3, 4, 6].find((bytes) => id < 2 ** (8 * bytes - 1)) ?? 8
  return new Uint8Array(Buffer.concat([Buffer.from(kind + word), number.subarray(8 - width)]))
}

const eventPart = 128

/** An event, in parts that are too long to occur in other events. */
export function bytesOfEvent(data: string): Uint8Array[] {
  const bytes = new Uint8Array(Buffer.from(data))
  const count = Math.floor(bytes.length / eventPart)
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * eventPart, (index + 1) * eventPart))
}

/**
 * The bytes about entities in the store's files. Read them before the deletion, so that the files can be searched for
 * them.
 */
export async function bytesOfEntities(tx: Tx, entityIds: readonly number[]): Promise<DeletedBytes> {
  const deleted: DeletedBytes = { blobs: [], texts: [] }
  for (const ids of inChunks(entityIds, 200)) {
    const entities = await tx
      .selectFrom('entities')
      .select(['id', 'kind', 'key', 'name', 'words'])
      .where('id', 'in', ids)
      .execute()
    for (const { id, kind, key, name, words } of entities) {
      deleted.texts.push(
        key.length >= tellingLength ? columns(key) : columns(kind, key),
        columns(name ?? ''),
        columns(words ?? ''),
      )
      deleted.texts.push(...wordRows(kind, id, words ?? '').map(bytesOfWord))
    }
    const events = await tx.selectFrom('events').select('data').where('entity_id', 'in', ids).execute()
    deleted.texts.push(...events.flatMap(({ data }) => bytesOfEvent(data)))
    const bodies = await tx.selectFrom('versions').select('body').where('entity_id', 'in', ids).execute()
    const hashes = await tx
      .selectFrom('fetches')
      .select('payload_hash')
      .distinct()
      .where('entity_id', 'in', ids)
      .execute()
    deleted.blobs.push(...bodies.map((row) => row.body))
    for (const some of inChunks(
      hashes.flatMap((row) => row.payload_hash ?? []),
      500,
    )) {
      const payloads = await tx.selectFrom('payloads').select('bytes').where('hash', 'in', some).execute()
      deleted.blobs.push(...payloads.map((row) => row.bytes))
    }
  }
  return deleted
}

/**
 * Copies the write-ahead log of the embedded engine into the database file and empties it, so that no earlier page
 * image is left.
 */
export async function checkpointLog(database: Database, _args: Record<string, never> = {}): Promise<void> {
  if (database.dialect === 'sqlite') await emptyLog(database)
}

const reportsAtMostMs = 30_000
const tryEveryMs = 50

async function emptyLog(database: Database): Promise<void> {
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

/**
 * Searches the unused parts of a chunk of the database file for deleted rows, in a separate process. Only if one is
 * found must the file be rewritten. PostgreSQL's tables always are.
 */
export async function scanResidue(
  database: Database,
  { deleted, afterPage, pages }: { deleted: DeletedBytes; afterPage: number; pages: number },
): Promise<FreeSpaceFound> {
  const all = { found: true, next: afterPage, done: true }
  if (database.dialect === 'postgres') return all
  // The file does not change while it is read, so the log cannot be emptied meanwhile.
  const path = await database.read(({ db }) => mainFile(db))
  return (await apartFromCopies(() => askReader({ kind: 'search', path, deleted, afterPage, pages }))) ?? all
}

/**
 * Rewrites the store without its unused space. On the embedded engine this blocks the store (2 to 5 s for 100,000
 * records), so it runs only if `scanResidue` found something. Returns the PostgreSQL tables that still have to be
 * rewritten.
 */
export async function purgeResidue(database: Database, _args: Record<string, never> = {}): Promise<{ left: string[] }> {
  if (database.dialect === 'postgres') return { left: (await rewriteTables(database)).left }
  await database.single(async ({ db }) => {
    // On a large store the copy that VACUUM makes would not fit into memory.
    await sql`pragma temp_store = file`.execute(db)
    await sql`vacuum`.execute(db)
    await sql`pragma temp_store = memory`.execute(db)
  })
  await emptyLog(database)
  return { left: [] }
}
