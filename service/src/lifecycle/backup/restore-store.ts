import { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readConfig, type Config } from '../../config/config.ts'
import type { StoreCounts } from '../../database/database-operations.ts'
import { systemClock } from '../../foundation/clock.ts'
import { openDataFolder, randomSecret, StartError, type DataFolder } from '../../foundation/data-folder.ts'
import { makeFolder, renameDurably } from '../../foundation/durable-file.ts'
import { proofName, proofOf } from '../../cluster/share-secret.ts'
import {
  findSuppressionLists,
  type FoundList,
  replaySuppressions,
  type Replayed,
} from '../suppression/replay-suppressions.ts'
import type { LifecycleStore } from '../store/operations.ts'
import { pendingMark } from '../suppression/open-suppressions.ts'
import { originSetting, type Origin } from './backups.ts'
import {
  takeStore,
  BackupError,
  checkFile,
  openBackup,
  verifyBackup,
  type CopiedStore,
  type CopyThreads,
} from './verify-backup.ts'

export interface RestoreWish {
  file: string
  /** A file with the secret key of the service that made the backup. */
  secretKeyFile: string | null
  /** The newest available suppression list of that service. */
  suppressionsFile: string | null
  /** Accepts a backup without a digest, as versions before digests made them. */
  withoutDigest: boolean
}

export interface Restored extends StoreCounts {
  dataDir: string
  madeAt: number | null
  /** The replayed lists; empty if none was found. */
  lists: string[]
  replayed: Replayed
  /** Whether batches, watches and webhooks wait for `vitae serve --resume-work`. */
  workStopped: boolean
  durationMs: number
}

interface Secret {
  value: string | null
  /** Whether it must be stored in the folder, because the environment does not provide it. */
  keep: boolean
}

/** Restores a backup into an empty data folder. The folder cannot be served from before the last step is done. */
export async function restoreStore(
  wish: RestoreWish,
  operationsModule: string,
  config = readConfig(),
  threads: CopyThreads = {},
): Promise<Restored> {
  if (config.databaseUrl !== null)
    throw new StartError(
      'The data is in PostgreSQL: restore it with pg_restore, then run "vitae restore --suppressions FILE" (see docs/guides/backup.md)',
    )
  const file = resolve(wish.file)
  if (!existsSync(file)) throw new StartError(`There is no file ${file}`)
  emptyFolder(config.dataDir)
  const folder = openDataFolder(config.dataDir, { exclusive: true })
  const began = performance.now()
  try {
    folder.write(pendingMark, `${JSON.stringify({ file })}\n`)
    await copyInto(file, folder, wish.withoutDigest)
    const restored = await prepare(config, folder, { operationsModule, ...threads }, { ...wish, file })
    folder.remove(pendingMark)
    return { dataDir: folder.path, ...restored, durationMs: Math.round(performance.now() - began) }
  } catch (error) {
    clear(folder.path)
    throw error instanceof BackupError ? new StartError(`${file} was not restored. ${error.message}`) : error
  } finally {
    folder.close()
  }
}

/** Leftovers of an interrupted restore may be removed; anything else may not. */
function emptyFolder(path: string): void {
  makeFolder(path)
  if (existsSync(join(path, pendingMark))) clear(path)
  const held = readdirSync(path).filter((name) => !name.startsWith('service.lock'))
  if (held.length > 0)
    throw new StartError(`VITAE_DATA_DIR ${path} is not empty (${held[0]}): a backup needs an empty folder`)
}

function clear(path: string): void {
  const names = readdirSync(path).filter((name) => !name.startsWith('service.lock') && name !== pendingMark)
  for (const name of [...names, pendingMark]) rmSync(join(path, name), { recursive: true, force: true })
}

async function copyInto(file: string, folder: DataFolder, withoutDigest: boolean): Promise<void> {
  const part = `${folder.storePath}.part`
  copyFileSync(file, part)
  chmodSync(part, 0o600)
  await takeStore(part, { withoutDigest })
  await renameDurably(part, folder.storePath)
}

interface Opening extends CopyThreads {
  operationsModule: string
}

async function prepare(config: Config, folder: DataFolder, how: Opening, wish: RestoreWish) {
  const at = systemClock.now()
  const copy = await open(folder.storePath, wish.file, how, at)
  try {
    await checkFile(folder.storePath, 'full')
    await verifyBackup(copy.store)
    const origin = await originOf(copy.store)
    const secret = await findSecret(copy.store, config, wish, origin)
    const lists = await findSuppressionLists({ ...wish, backupDir: config.backup.dir, origin, secret: secret.value })
    await refuseWithoutSecret(copy.store, secret, lists)
    const replayed = secret.value === null ? nothing : await replay(copy.store, secret.value, lists, at)
    await checkFile(folder.storePath, 'full')
    const counts = await verifyBackup(copy.store)
    await copy.store.audit.recordAudit({
      at,
      actor: 'owner',
      action: 'store.restore',
      after: { ...origin, ...replayed },
    })
    const workStopped = await copy.store.upkeep.stopWork(null)
    await keepSecret(copy.store, folder, secret)
    const madeAt = origin?.madeAt ?? null
    return { ...counts, madeAt, lists: lists.map((list) => list.path), replayed, workStopped }
  } finally {
    await copy.close()
  }
}

const nothing: Replayed = { added: 0, erased: 0, redacted: 0 }

async function open(path: string, file: string, how: Opening, at: number) {
  try {
    return await openBackup(path, how.operationsModule, at, how)
  } catch (error) {
    throw new StartError(`${file} is not a Vitae backup: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function replay(store: CopiedStore, secret: string, lists: readonly FoundList[], at: number): Promise<Replayed> {
  const items = new Map(lists.flatMap((list) => [...list.items]))
  return replaySuppressions({ store, suppressions: store.suppressionChanges, secret, at }, [...items.values()])
}

async function originOf(store: LifecycleStore): Promise<Origin | null> {
  const text = await store.settings.readSetting({ name: originSetting })
  return text === null ? null : (JSON.parse(text) as Origin)
}

/** The secret that the operator gives, or that of the old data folder if it still exists. */
async function findSecret(
  store: LifecycleStore,
  config: Config,
  { secretKeyFile }: RestoreWish,
  origin: Origin | null,
): Promise<Secret> {
  const proof = await store.settings.readSetting({ name: proofName })
  const fits = (secret: string) => proof === null || proof === proofOf(secret)
  const named = secretKeyFile === null ? config.secretKey : readSecret(secretKeyFile)
  if (secretKeyFile !== null && named === null) throw new StartError(`${secretKeyFile} contains no secret key`)
  if (named !== null) {
    if (!fits(named)) throw new StartError('The secret key does not belong to the service that made the backup')
    return { value: named, keep: config.secretKey === null }
  }
  const old = origin && readSecret(join(origin.dataDir, 'secret-key'))
  return { value: old !== null && fits(old) ? old : null, keep: true }
}

/** If the old secret is lost and nobody was erased, the restored store gets a new one. */
async function keepSecret(store: LifecycleStore, folder: DataFolder, { value, keep }: Secret): Promise<void> {
  if (!keep) return
  const secret = value ?? randomSecret()
  folder.write('secret-key', `${secret}\n`)
  await store.settings.writeSetting({ name: proofName, value: proofOf(secret) })
}

function readSecret(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() || null : null
}

/** Without their key the hashes are useless, and nobody may be let back in for that reason. */
async function refuseWithoutSecret(store: LifecycleStore, secret: Secret, lists: readonly FoundList[]): Promise<void> {
  if (secret.value !== null) return
  const { suppressions } = await store.database.countStore(null)
  const listed = lists.reduce((sum, list) => sum + list.items.size, 0)
  if (suppressions + listed === 0) return
  throw new StartError(
    'People were erased from this service, and without its secret key they cannot be suppressed: give --secret-key FILE (secret-key of the old data folder) or VITAE_SECRET_KEY',
  )
}
