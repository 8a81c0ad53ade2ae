import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { liesWithin } from '../../config/lies-within.ts'
import { storeName } from '../../foundation/data-folder.ts'
import { Failure } from '../../foundation/failure.ts'

interface Target {
  dataDir: string
  /** Where backups are kept; null where no such folder was named. */
  backupDir: string | null
  overwrite: boolean
}

/**
 * Fails where no backup may be written. Inside the data folder it would keep what an erasure has to remove from there. Outside a
 * backup folder that was named, whoever has an admin token could write wherever the service's user may.
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
  // By another name, it would be opened below, and SQLite would lose its locks.
  if (isStore(path, dataDir)) throw new Failure('invalid_request', { detail: `${path} is the store itself.` })
  if (!overwrite) throw new Failure('conflict', { detail: `${path} is there already: add --yes to replace it.` })
  if (!isSqlite(path)) throw new Failure('conflict', { detail: `${path} is no backup, and is not replaced.` })
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
    // Said below.
  }
  throw new Failure('invalid_request', { detail: `The service's user cannot write into ${folder}.` })
}

/** Only a file that looks like a backup, or is empty, is ever replaced. */
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
