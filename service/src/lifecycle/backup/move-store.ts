import { settingOperations } from '../../cluster/node-operations.ts'
import { verifyLedger } from '../../credits/store/verify-ledger.ts'
import { systemClock } from '../../foundation/clock.ts'
import { StartError, openDataFolder, storeName } from '../../foundation/data-folder.ts'
import {
  copyTable,
  countRows,
  tallyTable,
  type MoveSide,
  type Tally,
  readSequences,
  writeSequences,
} from '../../database/move/copy-table.ts'
import { movedTableNames, type MovedTable } from '../../database/move/moved-tables.ts'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { renameDurably } from '../../foundation/durable-file.ts'
import { findSecret, leaveSecret } from '../../cluster/share-secret.ts'
import { migrate } from '../../database/migrations/migrate.ts'
import { makePartitions } from '../../database/postgres/partitions.ts'
import { poolDatabase } from '../../database/postgres/pool-database.ts'
import { openPostgres } from '../../database/postgres/postgres.ts'
import type { Database } from '../../database/engine/dialect.ts'
import { postgresDialect } from '../../database/postgres/postgres-dialect.ts'
import { sqliteDialect, openSqlite } from '../../database/sqlite/connection/sqlite.ts'
import { Executor } from '../../database/sqlite/executor.ts'

export interface MoveWish {
  /** A data folder, or a postgres:// URL. */
  from: string
  to: string
  onProgress?: (progress: { table: MovedTable; rows: number; of: number }) => void
}

export interface Moved {
  from: string
  to: string
  tables: ({ table: MovedTable } & Tally)[]
  rows: number
  ledgerEntries: number
  /** Whether the secret was copied; if not, the operator has to set it. */
  secretMoved: boolean
}

/**
 * Copies a whole store to the other engine. Everything is read back and compared, by row sums and by the ledger's own
 * arithmetic, before the copy becomes a store. A failure before that leaves the target empty.
 */
export async function moveStore(wish: MoveWish): Promise<Moved> {
  const now = systemClock.now()
  const from = await openSource(wish.from, now)
  try {
    const to = await openTarget(wish.to, now)
    try {
      await refuseFull(to)
      await refuseInexact(from)
      const tables = await copyAll(from, to, wish.onProgress)
      const secret = await from.secret()
      const secretMoved = secret !== null && (await to.keepSecret(secret))
      const entries = tables.find(({ table }) => table === 'ledger_entries')?.rows ?? 0
      const rows = tables.reduce((sum, table) => sum + table.rows, 0)
      to.accept()
      return { from: from.name, to: to.name, tables, rows, ledgerEntries: entries, secretMoved }
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
  }
}

async function refuseFull({ side, name }: MoveEndpoint): Promise<void> {
  for (const table of movedTableNames) {
    // A service that was once started there wrote its settings; these do not count as data.
    if (table === 'settings' || (await countRows(side, table)) === 0) continue
    throw new StartError(`${name} is not empty (${table} has rows): --to needs an empty folder or database`)
  }
}

async function refuseInexact({ database, name }: MoveEndpoint): Promise<void> {
  const { ok, differences } = await database.read((connection) => verifyLedger(connection))
  if (!ok) throw new StartError(`the ledger in ${name} is not exact: ${differences[0]?.what ?? ''}`)
}

/** One transaction on either side: one snapshot of the source, all or nothing in the target. */
async function copyAll(
  from: MoveEndpoint,
  to: MoveEndpoint,
  onProgress: MoveWish['onProgress'],
): Promise<Moved['tables']> {
  const reading = from.side.dialect.snapshot(from.side.db.transaction())
  const copied = await reading.execute((source) =>
    to.side.db.transaction().execute(async (target) => {
      const ends = { from: { ...from.side, db: source }, to: { ...to.side, db: target } }
      await target.deleteFrom('settings').execute()
      const tables: Moved['tables'] = []
      for (const table of movedTableNames) tables.push({ table, ...(await copyOne(ends, table, onProgress)) })
      await writeSequences(ends.to, await readSequences(ends.from))
      return tables
    }),
  )
  await refuseInexact(to)
  return copied
}

async function copyOne(
  { from, to }: { from: MoveSide; to: MoveSide },
  table: MovedTable,
  onProgress: MoveWish['onProgress'],
): Promise<Tally> {
  const of = await countRows(from, table)
  const read = await copyTable(from, to, table, (rows) => onProgress?.({ table, rows, of }))
  const written = await tallyTable(to, table)
  if (read.rows !== written.rows || read.checksum !== written.checksum)
    throw new StartError(`the copy of ${table} differs: ${read.rows} rows read, ${written.rows} written`)
  return written
}

/** One end of a move: an embedded store in a folder, or a database. */
interface MoveEndpoint {
  /** Its name for messages, without a password. */
  name: string
  side: MoveSide
  database: Database
  secret(): Promise<string | null>
  /** False if the secret cannot be stored here. */
  keepSecret(secret: string): Promise<boolean>
  /** Turns what was written into the store of this place. */
  accept(): void
  close(): Promise<void>
}

const aliveWithinMs = 10_000

/** Opens the source of a move. It must not be in use. */
async function openSource(place: string, now: number): Promise<MoveEndpoint> {
  if (isUrl(place)) return openDatabase(place, now)
  // Checked before the folder is opened, because opening would create it.
  if (!existsSync(join(place, storeName)))
    throw new StartError(`There is no store in ${place}: --from needs the data folder of Vitae, or a postgres:// URL`)
  const folder = openDataFolder(place, { exclusive: true })
  return openFolder(folder, folder.storePath, now)
}

/** Opens the target of a move. In a folder, the store is written beside its final name. */
async function openTarget(place: string, now: number): Promise<MoveEndpoint> {
  if (isUrl(place)) return openDatabase(place, now)
  const folder = openDataFolder(place, { exclusive: true })
  if (!existsSync(folder.storePath)) {
    const draft = `${folder.storePath}.moving`
    for (const file of [draft, `${draft}-wal`, `${draft}-shm`]) rmSync(file, { force: true })
    return openFolder(folder, draft, now)
  }
  folder.close()
  throw new StartError(`${place} already contains a store: --to needs an empty folder`)
}

async function openFolder(folder: ReturnType<typeof openDataFolder>, path: string, now: number): Promise<MoveEndpoint> {
  const { db, raw } = openSqlite(path)
  await migrate(db, sqliteDialect, now)
  let accepted = false
  return {
    name: folder.path,
    side: { db, dialect: sqliteDialect },
    database: new Executor({ db, dialect: sqliteDialect }),
    secret: async () => folder.read('secret-key')?.trim() || null,
    async keepSecret(secret) {
      folder.write('secret-key', `${secret}\n`)
      return true
    },
    accept: () => void (accepted = true),
    async close() {
      raw.exec('pragma wal_checkpoint(truncate)')
      await db.destroy()
      if (path !== folder.storePath && accepted) await renameDurably(path, folder.storePath)
      else if (path !== folder.storePath) rmSync(path, { force: true })
      folder.close()
    },
  }
}

async function openDatabase(url: string, now: number): Promise<MoveEndpoint> {
  const { db } = openPostgres(url, () => undefined)
  const database = poolDatabase(db)
  const name = new URL(url)
  name.password = ''
  try {
    await migrate(db, postgresDialect, now)
    await makePartitions(database, { now })
    await refuseInUse(db, name.href)
  } catch (error) {
    await db.destroy()
    throw error instanceof StartError
      ? error
      : new StartError(`${name.href} cannot be used: ${error instanceof Error ? error.message : String(error)}`)
  }
  return {
    name: name.href,
    side: { db, dialect: postgresDialect },
    database,
    secret: () =>
      findSecret({ settings: { readSetting: (args) => settingOperations.readSetting(database, args) } }, url),
    keepSecret: (secret) =>
      leaveSecret(
        { settings: { writeSetting: (args) => settingOperations.writeSetting(database, args) } },
        secret,
        url,
      ),
    accept: () => undefined,
    close: () => db.destroy(),
  }
}

/** A store that changes while it is copied would not be consistent. */
async function refuseInUse(db: MoveSide['db'], name: string): Promise<void> {
  const living = await db
    .selectFrom('nodes')
    .select('id')
    .where((of) => of('seen_at', '>', of(postgresDialect.now(), '-', of.lit(aliveWithinMs))))
    .execute()
  if (living.length > 0) throw new StartError(`${name} is in use by ${living.length} nodes of Vitae: stop them first`)
}

function isUrl(place: string): boolean {
  return /^postgres(ql)?:\/\//.test(place)
}
