import { closeSync, fstatSync, openSync, rmSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { CommandError } from '../command-error.ts'

/** Releases the output. */
export type Unlock = () => void

/**
 * Locks an output for this process: two jobs on one file would mix rows and pay twice. SQLite takes the operating
 * system's lock, because Node has no file locks. The lock ends with the process, even after a crash.
 */
export function lockOutput(target: string): Unlock {
  const path = `${target}.lock`
  const file = openLock(path, target)
  if (fstatSync(file).size > 0)
    throw new CommandError(`${path} exists and is not a lock file. Choose another --out, or move that file.`)
  const lock = new DatabaseSync(path, { timeout: 0 })
  try {
    lock.exec('pragma journal_mode = memory')
    lock.exec('begin exclusive')
    // Another job may have removed the lock file in the meantime, and a third may have locked a new one.
    if (statSync(path, { throwIfNoEntry: false })?.ino !== fstatSync(file).ino) throw inUse(target)
  } catch (error) {
    lock.close()
    closeSync(file)
    throw error instanceof CommandError ? error : inUse(target, error)
  }
  return () => {
    rmSync(path, { force: true })
    lock.close()
    closeSync(file)
  }
}

function openLock(path: string, target: string): number {
  try {
    return openSync(path, 'a', 0o600)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(`${target} cannot be written: ${reason}`, { cause: error })
  }
}

function inUse(target: string, cause?: unknown): CommandError {
  return new CommandError(`Another command is writing ${target}. Wait until it ends, or choose another --out.`, {
    cause,
  })
}
