import { chmodSync, constants, existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { rememberBackupPath } from '../store/backup-paths.ts'
import type { Config } from '../../config/config.ts'
import { dayMs, type Clock } from '../../foundation/clock.ts'
import { lastFullCheck, noteFullCheck } from '../doctor/check-integrity.ts'
import { makeFolder, renameDurably } from '../../foundation/durable-file.ts'
import { storeName } from '../../foundation/data-folder.ts'
import { Failure } from '../../foundation/failure.ts'
import { refuseTarget } from './refuse-target.ts'
import { suppressionsBeside } from '../suppression/suppression-file.ts'
import type { SuppressionList } from '../suppression/suppression-list.ts'
import {
  checkFile,
  openBackup,
  verifyBackup,
  type CopyThreads,
  type OnProgress,
  addDigest,
  takeStore,
} from './verify-backup.ts'
import { version } from '../../foundation/version.ts'
import type { LifecycleStore } from '../store/operations.ts'
import type { StoreCounts } from '../../database/database-operations.ts'

/** The setting in a backup that records its origin. */
export const originSetting = 'backup.origin'

export interface Origin {
  dataDir: string
  madeAt: number
  version: string
}

/** The backup to make: at a given path, or a scheduled one. */
export interface BackupWish {
  path: string | null
  overwrite: boolean
  actor: string
}

export interface BackupFile {
  path: string
  size: number
  madeAt: number
}

export interface BackupReport extends BackupFile, StoreCounts {
  durationMs: number
}

/** Backups of the embedded engine. */
export interface Backups {
  /** The folder of scheduled backups; null if none are made. */
  dir: string | null
  make(wish: BackupWish, onProgress?: OnProgress): Promise<BackupReport>
  /** Makes the scheduled backup if it is due. */
  makeWhenDue(): Promise<BackupReport | null>
  list(): Promise<BackupFile[]>
  /** Verifies a scheduled backup again, completely, as if it were to be served from. */
  verify(name: string, onProgress?: OnProgress): Promise<BackupCheck>
  /** Verifies the newest backup if none was fully verified for a month. */
  verifyWhenDue(): Promise<(BackupCheck & { name: string }) | null>
}

export interface BackupCheck extends StoreCounts {
  ok: boolean
  /** The problem that was found; null if it is intact. */
  fault: string | null
}

interface Deps extends CopyThreads {
  config: Pick<Config, 'backup' | 'databaseUrl' | 'dataDir'>
  store: LifecycleStore
  suppressions: Pick<SuppressionList, 'copyToBackups'>
  /** The module URL of the store's operations, for the copies that are verified. */
  operationsModule: string
  clock: Clock
}

const scheduledName = /^vitae-\d{8}T\d{6}Z\.db$/

/** Makes and lists backups of the embedded engine. */
export function openBackups(deps: Deps): Backups {
  const { dir } = deps.config.backup
  return {
    dir,
    make: (wish, onProgress) => makeBackup(deps, wish, onProgress),
    makeWhenDue: () => backupWhenDue(deps),
    list: async () => (dir === null ? [] : scheduledBackups(dir)),
    verify: (name, onProgress) => verifyScheduled(deps, name, onProgress),
    verifyWhenDue: () => verifyWhenDue(deps),
  }
}

/** Makes the scheduled backup if it is due; the newest `keep` of them stay. */
export async function backupWhenDue(deps: Deps): Promise<BackupReport | null> {
  const { dir, everyMs } = deps.config.backup
  if (dir === null) return null
  const now = deps.clock.now()
  // A backup dated further ahead was made by a wrong clock, and must not prevent another one.
  if (scheduledBackups(dir).some(({ madeAt }) => Math.abs(now - madeAt) < everyMs)) return null
  return makeBackup(deps, { path: null, overwrite: false, actor: 'system' })
}

const fullCheckEveryMs = 30 * dayMs

async function verifyWhenDue(deps: Deps): Promise<(BackupCheck & { name: string }) | null> {
  const { dir } = deps.config.backup
  const newest = dir === null ? undefined : scheduledBackups(dir)[0]
  const last = await lastFullCheck(deps.store, 'backup')
  if (!newest || (last !== null && deps.clock.now() - last.at < fullCheckEveryMs)) return null
  const name = basename(newest.path)
  return { name, ...(await verifyScheduled(deps, name)) }
}

const useDump =
  'The data is in PostgreSQL: back it up with pg_dump --format=custom --file=FILE "$DATABASE_URL" (see docs/guides/backup.md).'

/**
 * Writes a backup under a temporary name, verifies it as if it were to be served from, adds its digest, and only then
 * renames it. So a file with a backup's name has been opened and verified.
 */
async function makeBackup(
  deps: Deps,
  { path: wished, overwrite, actor }: BackupWish,
  onProgress?: OnProgress,
): Promise<BackupReport> {
  const { config, store, suppressions, clock } = deps
  if (config.databaseUrl !== null) throw new Failure('conflict', { detail: useDump })
  const startedAt = clock.now()
  const path = wished === null ? scheduledPath(config.backup.dir, startedAt) : resolve(wished)
  refuseTarget(path, { dataDir: config.dataDir, backupDir: config.backup.dir, overwrite })
  const part = `${path}.part`
  const began = performance.now()
  try {
    await copyStore(deps, part, onProgress)
    await checkFile(part, 'quick', onProgress)
    const counts = await sealed(deps, part, { dataDir: config.dataDir, madeAt: startedAt, version })
    await addDigest(part)
    chmodSync(part, 0o600)
    if (wished !== null) await rememberBackupPath(store, path)
    await renameDurably(part, path)
    // The list beside an older backup of this name belonged to that one.
    rmSync(suppressionsBeside(path), { force: true })
    await suppressions.copyToBackups()
    const size = statSync(path).size
    const report = { path, size, madeAt: startedAt, durationMs: Math.round(performance.now() - began), ...counts }
    if (wished === null) keepNewest(dirname(path), config.backup.keep)
    await store.audit.recordAudit({ at: startedAt, actor, action: 'store.backup', after: { path, size, ...counts } })
    return report
  } finally {
    removeStore(part)
  }
}

const checkEveryMs = 500

/** The engine reports no progress, but its file grows. */
async function copyStore({ config, store }: Deps, part: string, onProgress?: OnProgress): Promise<void> {
  const all = sizeOf(join(config.dataDir, storeName))
  const look = () => onProgress?.({ step: 'copying', done: Math.min(sizeOf(part), all), all })
  const timer = setInterval(look, checkEveryMs)
  try {
    await store.database.backupStore({ path: part })
    look()
  } finally {
    clearInterval(timer)
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** Verifies the copy, writes its origin into it, and leaves it as one plain file. */
async function sealed(deps: Deps, path: string, origin: Origin) {
  const copy = await openBackup(path, deps.operationsModule, origin.madeAt, deps)
  try {
    const counts = await verifyBackup(copy.store)
    await copy.endReports()
    await copy.store.settings.writeSetting({ name: originSetting, value: JSON.stringify(origin) })
    await copy.store.database.sealCopy(null)
    return counts
  } finally {
    await copy.close()
  }
}

const nothing: StoreCounts = { entries: 0, calls: 0, entities: 0, versions: 0, payloads: 0, suppressions: 0 }

/** Verifies a copy, because opening a store may migrate it to the current schema. */
async function verifyScheduled(deps: Deps, name: string, onProgress?: OnProgress): Promise<BackupCheck> {
  const { config, store, clock } = deps
  const { dir } = config.backup
  const found = dir === null ? undefined : scheduledBackups(dir).find(({ path }) => basename(path) === name)
  if (!found)
    throw new Failure('not_found', { detail: `There is no backup ${name}.`, hint: '"vitae backups" lists them.' })
  const checked = await checkCopy(deps, found.path, onProgress)
  await noteFullCheck(store, 'backup', { at: clock.now(), ok: checked.ok })
  return checked
}

async function checkCopy(deps: Deps, path: string, onProgress?: OnProgress): Promise<BackupCheck> {
  const copy = `${path}.check.part`
  try {
    await copyFile(path, copy, constants.COPYFILE_FICLONE)
    await takeStore(copy, { withoutDigest: false })
    await checkFile(copy, 'full', onProgress)
    const opened = await openBackup(copy, deps.operationsModule, deps.clock.now(), deps)
    try {
      return { ok: true, fault: null, ...(await verifyBackup(opened.store)) }
    } finally {
      await opened.close()
    }
  } catch (error) {
    return { ok: false, fault: error instanceof Error ? error.message : String(error), ...nothing }
  } finally {
    removeStore(copy)
  }
}

/** A store's file, and the files that SQLite keeps beside it while it is open. */
function removeStore(path: string): void {
  for (const left of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`]) rmSync(left, { force: true })
}

function scheduledPath(dir: string | null, at: number): string {
  if (dir === null) throw new Failure('invalid_request', { detail: 'Give a file name, or set VITAE_BACKUP_DIR.' })
  try {
    makeFolder(dir)
  } catch (error) {
    throw new Failure('invalid_request', { detail: `VITAE_BACKUP_DIR ${dir} cannot be created: ${String(error)}.` })
  }
  const time = new Date(at).toISOString().replace(/[-:]|\.\d+/g, '')
  return resolve(dir, `vitae-${time}.db`)
}

/** The scheduled backups, newest first. */
function scheduledBackups(dir: string): BackupFile[] {
  if (!existsSync(dir)) return []
  const names = readdirSync(dir).filter((name) => scheduledName.test(name))
  return names
    .toSorted()
    .toReversed()
    .map((name) => ({ path: join(dir, name), size: statSync(join(dir, name)).size, madeAt: timeOf(name) }))
}

function timeOf(name: string): number {
  const text = basename(name).replace(/^vitae-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/, '$1-$2-$3T$4:$5:$6Z')
  return Date.parse(text)
}

function keepNewest(dir: string, keep: number): void {
  for (const { path } of scheduledBackups(dir).slice(keep)) rmSync(path, { force: true })
}
