import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { giveToFolderOwner, makeFolder, syncFolder, writeDurably } from './durable-file.ts'

/** A start that failed for a reason that the operator can fix; shown as one line. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** The file name of the embedded store. */
export const storeName = 'vitae.db'

/** Everything that a service keeps on disk. One process at a time owns it. */
export interface DataFolder {
  path: string
  storePath: string
  /** Reads a secret of this folder, or creates it. */
  secret(name: string, make: () => string): string
  /** Writes a small file atomically: readers see all of it or nothing, and it survives a power cut. */
  write(name: string, content: string): void
  read(name: string): string | null
  remove(name: string): void
  close(): void
}

/**
 * Opens the folder and, if `exclusive`, locks it for one process. The lock is an SQLite lock on its own file, which the
 * kernel releases when the process dies. So a killed service restarts at once, and no process id has to be guessed.
 */
export function openDataFolder(path: string, { exclusive }: { exclusive: boolean }): DataFolder {
  try {
    const made = makeFolder(path)
    if (made !== undefined) syncFolder(dirname(made))
  } catch (error) {
    throw unwritable(path, 'created', error)
  }
  const lock = exclusive ? takeLock(path) : null
  const at = (name: string) => join(path, name)
  const read = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : null)
  const write = (name: string, content: string) => writeDurably(at(name), content)
  return {
    path,
    storePath: at(storeName),
    read,
    write,
    secret(name, make) {
      const present = read(name)?.trim()
      if (present) return present
      const made = make()
      write(name, `${made}\n`)
      return made
    },
    remove: (name) => rmSync(at(name), { force: true }),
    close() {
      lock?.close()
      // A command run by root creates the lock and the store as root.
      if (existsSync(path)) for (const name of readdirSync(path)) giveToFolderOwner(at(name))
    },
  }
}

/** A new secret of 256 bits. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url')
}

function takeLock(path: string): DatabaseSync {
  let lock: DatabaseSync
  try {
    lock = new DatabaseSync(join(path, 'service.lock'), { timeout: 1_000 })
    lock.exec('pragma journal_mode = memory')
  } catch (error) {
    if (isBusy(error)) throw folderInUse(path)
    throw unwritable(path, 'written', error)
  }
  try {
    lock.exec('begin exclusive')
    return lock
  } catch (error) {
    lock.close()
    if (isBusy(error)) throw folderInUse(path)
    throw unwritable(path, 'written', error)
  }
}

function folderInUse(path: string): StartError {
  return new StartError(`VITAE_DATA_DIR ${path} is in use by another Vitae: stop it, or choose another folder`)
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && /locked|busy/i.test(error.message)
}

function unwritable(path: string, what: string, cause: unknown): StartError {
  const advice = 'Choose a folder that this user may write, on a disk with room.'
  return new StartError(`VITAE_DATA_DIR ${path} cannot be ${what}: ${reason(cause)}. ${advice}`, { cause })
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
