import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { liesWithin } from '../../config/lies-within.ts'
import { storeName } from '../../foundation/data-folder.ts'
import { Failure } from '../../foundation/failure.ts'

interface Target {
  dataDir: string
  /** The folder of backups; null if none is configured. */
  backupDir: string | null
  overwrite: boolean
}

/**
 * Refuses forbidden backup paths. Inside the data folder, a backup would keep what an erasure must remove from there.
 * Outside a configured backup folder, an admin token could write anywhere that the service's user may.
 */
export function refuseTarget(path: string, { dataDir, backupDir, overwrite }: Target): void {
  if (backupDir !== null && !liesWithin(path, backupDir)) {
    const detail = `Backups are kept in VITAE_BACKUP_DIR: choose a file below ${backupDir}.`
    throw new Failure('invalid_request', { detail })
  }
  if (!existsSync(dirname(path)))
    throw new Failure('invalid_request', { detail: `There is no folder ${dirname(path)}.` })
  refuseUnwritable(dirname(path))
  if (liesWithin(path, dataDir)) {
    const detail = `${path} is inside the data folder, where an erasure must leave no byte: choose a file outside it.`
    throw new Failure('invalid_request', { detail })
  }
  if (!existsSync(path)) return
  // Under another name it would be opened below, and SQLite would lose its locks.
  if (isStore(path, dataDir)) throw new Failure('invalid_request', { detail: `${path} is the store itself.` })
  if (!overwrite) throw new Failure('conflict', { detail: `${path} already exists: add --yes to replace it.` })
  if (!isSqlite(path)) throw new Failure('conflict', { detail: `${path} is not a backup, so it is not replaced.` })
}

function isStore(path: string, dataDir: string): boolean {
  const { dev, ino } = statSync(path)
  return [storeName, `${storeName}-wal`, `${storeName}-shm`].some((name) => {
    const own = statSync(join(dataDir, name), { throwIfNoEntry: false })
    return own?.dev === dev && own.ino === ino
  })
}

function refuseUnwritable(folder: string): void {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    if (statSync(folder).isDirectory()) return
  } catch {
    // Reported below.
  }
  throw new Failure('invalid_request', { detail: `The service's user cannot write into ${folder}.` })
}

/** Only an empty file, or one that looks like a backup, is ever replaced. */
function isSqlite(path: string): boolean {
  if (!statSync(path).isFile()) return false
  const file = openSync(path, 'r')
  try {
    const head = Buffer.alloc(16)
    const read = readSync(file, head, 0, 16, 0)
    return read === 0 || head.toString('latin1') === 'SQLite format 3\0'
  } finally {
    closeSync(file)
  }
}
