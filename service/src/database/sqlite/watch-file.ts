import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { systemClock } from '../../foundation/clock.ts'
import type { Executor } from './executor.ts'

const lookEveryMs = 2_000

interface Watched {
  path: string
  executor: Executor
  raw: DatabaseSync
}

/**
 * Notices that the file of an open database was deleted or replaced. The engine would go on with the file that nobody
 * can find any more, and all that is written would be gone with the process: so everything is saved beside its old
 * place, and the thread ends.
 */
export function watchFile(watched: Watched): void {
  const { ino } = statSync(watched.path)
  const timer = setInterval(() => {
    if (!isGone(watched.path, ino)) return
    clearInterval(timer)
    void saveAndEnd(watched)
  }, lookEveryMs)
}

/** A look that fails for another reason, such as a folder that may not be read, says nothing about the file. */
function isGone(path: string, ino: number): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.ino !== ino
  } catch {
    return false
  }
}

async function saveAndEnd(watched: Watched): Promise<void> {
  const fate = await save(watched)
  // Out of reach of any promise: this thread cannot go on.
  setImmediate(() => {
    throw new Error(`${watched.path} was deleted or replaced while it was in use: ${fate}`)
  })
}

async function save({ path, executor, raw }: Watched): Promise<string> {
  const target = `${path}.saved-${new Date(systemClock.now()).toISOString().replaceAll(/[^\dTZ]/g, '')}`
  try {
    // Nobody else may be in the middle of a transaction.
    await executor.read(async () => raw.prepare('vacuum into ?').run(target))
    return `all of it is in ${target}; move that to the old place and start again`
  } catch (error) {
    return `saving it to ${target} failed (${String(error)}); restore a backup`
  }
}
