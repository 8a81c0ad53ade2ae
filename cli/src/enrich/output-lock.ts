import { closeSync, fstatSync, openSync, rmSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { CommandError } from '../command-error.ts'

/** Gives the output free again. */
export type Unlock = () => void

/**
 * Takes an output for this process: two jobs that write one file would mix their rows and pay twice. The operating system
 * holds the lock (through SQLite, Node has none of its own), so that it ends with the process, however that ends.
 */
export function lockOutput(target: string): Unlock {
  const path = `${target}.lock`
  const file = openLock(path, target)
  if (fstatSync(file).size > 0)
    throw new CommandError(`${path} is in the way: it is a file of yours. Choose another --out.`)
  const lock = new DatabaseSync(path, { timeout: 0 })
  try {
    lock.exec('pragma journal_mode = memory')
    lock.exec('begin exclusive')
    // A job that ended meanwhile has removed the file, and another may lock a new one of that name.
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
  return new CommandError(`Another command writes ${target} now. Wait for its end, or choose another --out.`, { cause })
}
