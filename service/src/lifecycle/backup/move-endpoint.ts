import { existsSync, rmSync } from 'node:fs'
import { openDataFolder, StartError } from '../../foundation/data-folder.ts'
import { renameDurably } from '../../foundation/durable-file.ts'
import { findSecret, leaveSecret } from '../../cluster/share-secret.ts'
import { nodeOperations } from '../../cluster/node-operations.ts'
import { databaseTime } from '../../database/sql/database-time.ts'
import type { MoveSide } from '../../database/move/copy-table.ts'
import { migrate } from '../../database/migrate.ts'
import { makePartitions } from '../../database/postgres/partitions.ts'
import { poolDatabase } from '../../database/postgres/pool-database.ts'
import { openPostgres } from '../../database/postgres/postgres.ts'
import type { Database } from '../../database/dialect.ts'
import { Executor } from '../../database/sqlite/executor.ts'
import { openSqlite } from '../../database/sqlite/sqlite.ts'

/** One end of a move: an embedded store in a folder, or a database. */
export interface MoveEndpoint {
  /** As it may be shown: without a password. */
  name: string
  side: MoveSide
  database: Database
  secret(): Promise<string | null>
  /** False where it cannot be kept here. */
  keepSecret(secret: string): Promise<boolean>
  /** Makes what was written here the store of this place. */
  accept(): void
  close(): Promise<void>
}

const aliveWithinMs = 10_000

/** Opens what a store is moved from. It must not be in use. */
export async function openSource(place: string, now: number): Promise<MoveEndpoint> {
  if (isUrl(place)) return openDatabase(place, now)
  const folder = openDataFolder(place, { exclusive: true })
  if (existsSync(folder.storePath)) return openFolder(folder, folder.storePath, now)
  folder.close()
  throw new StartError(`There is no store in ${place}: --from wants the data folder of Vitae, or a postgres:// URL`)
}

/** Opens what a store is moved to. In a folder it is written beside the place where a service would look for it. */
export async function openTarget(place: string, now: number): Promise<MoveEndpoint> {
  if (isUrl(place)) return openDatabase(place, now)
  const folder = openDataFolder(place, { exclusive: true })
  if (!existsSync(folder.storePath)) {
    const draft = `${folder.storePath}.moving`
    for (const file of [draft, `${draft}-wal`, `${draft}-shm`]) rmSync(file, { force: true })
    return openFolder(folder, draft, now)
  }
  folder.close()
  throw new StartError(`There is a store in ${place} already: --to wants an empty folder`)
}

async function openFolder(folder: ReturnType<typeof openDataFolder>, path: string, now: number): Promise<MoveEndpoint> {
  const { db, raw } = openSqlite(path)
  await migrate(db, 'sqlite', now)
  let accepted = false
  return {
    name: folder.path,
    side: { db, dialect: 'sqlite' },
    database: new Executor({ db, dialect: 'sqlite' }),
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
    await migrate(db, 'postgres', now)
    await makePartitions(database, { now })
    await refuseInUse(db, name.href)
  } catch (error) {
    await db.destroy()
    throw error instanceof StartError ? error : new StartError(`${name.href} cannot be used: ${String(error)}`)
  }
  return {
    name: name.href,
    side: { db, dialect: 'postgres' },
    database,
    secret: () => findSecret({ readSetting: (args) => nodeOperations.readSetting(database, args) }, url),
    keepSecret: (secret) =>
      leaveSecret({ writeSetting: (args) => nodeOperations.writeSetting(database, args) }, secret, url),
    accept: () => undefined,
    close: () => db.destroy(),
  }
}

/** A store that changes while it is copied is not one store. */
async function refuseInUse(db: MoveSide['db'], name: string): Promise<void> {
  const living = await db
    .selectFrom('nodes')
    .select('id')
    .where((of) => of('seen_at', '>', of(databaseTime('postgres'), '-', of.lit(aliveWithinMs))))
    .execute()
  if (living.length > 0) throw new StartError(`${name} is in use by ${living.length} nodes of Vitae: stop them first`)
}

function isUrl(place: string): boolean {
  return /^postgres(ql)?:\/\//.test(place)
}
