import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { systemClock } from '../../foundation/clock.ts'
import { Failure } from '../../foundation/failure.ts'
import type { Executor } from './executor.ts'

const checkEveryMs = 2_000

interface Watched {
  path: string
  executor: Executor
  raw: DatabaseSync
  /** Called once, with a sentence for the operator, when the log was removed and the store accepts nothing any more. */
  onLost(fate: string): void
}

/**
 * Notices that the file of an open database, its log or the log's index was deleted or replaced. The engine would
 * continue with files that nobody can find, and everything written would be lost with the process. So everything is
 * saved beside its old place. Without its database the thread ends. Without its log it stays and accepts nothing,
 * because a supervisor would restart on what is left in the database, without the last charges.
 * It only checks inode numbers: opening one of the files would drop the engine's locks.
 */
export class FileWatch {
  readonly #watched: Watched
  readonly #database: number | null
  readonly #log: readonly { path: string; ino: number | null }[]
  readonly #timer = setInterval(() => this.#look(), checkEveryMs)
  #lost: Failure | null = null
  #saved: Promise<string> | null = null

  /** Create it after the database has been read once: from then on its log exists. */
  constructor(watched: Watched) {
    this.#watched = watched
    this.#database = numberOf(watched.path)
    this.#log = ['-wal', '-shm'].map((end) => ({ path: watched.path + end, ino: numberOf(watched.path + end) }))
  }

  /** Fails once the log was removed. */
  check(): void {
    if (this.#lost) throw this.#lost
  }

  /** Call it after each commit, before anything is answered: data in a lost log is no charge. */
  readonly committed = (): void => {
    this.#lookAtLog()
    this.check()
  }

  /** Its files are closed with the connection. */
  close(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    if (isGone(this.#watched.path, this.#database)) {
      clearInterval(this.#timer)
      void this.#saveAndEnd()
    } else this.#lookAtLog()
  }

  #lookAtLog(): void {
    if (this.#lost) return
    const gone = this.#log.find(({ path, ino }) => isGone(path, ino))
    if (!gone) return
    const fault = `${gone.path} was deleted or replaced while it was in use`
    this.#lost = new Failure('store_unavailable', { retryAfterSeconds: 5, cause: new Error(fault) })
    // Not in the middle of a commit, after which this may be called.
    setImmediate(() => void this.#saveAndReport(fault))
  }

  async #saveAndReport(fault: string): Promise<void> {
    this.#saved ??= this.#save()
    this.#watched.onLost(`${fault}, so no calls are accepted: ${await this.#saved}`)
  }

  async #saveAndEnd(): Promise<void> {
    this.#saved ??= this.#save()
    const fate = await this.#saved
    // Thrown outside any promise, because this thread cannot continue.
    setImmediate(() => {
      throw new Error(`${this.#watched.path} was deleted or replaced while it was in use: ${fate}`)
    })
  }

  async #save(): Promise<string> {
    const { path, executor, raw } = this.#watched
    const target = savedPath(path)
    try {
      // Nobody else may be in the middle of a transaction.
      await executor.read(async () => raw.prepare('vacuum into ?').run(target))
      return `a full copy is in ${target}; stop the service, move the copy to the old place and start again`
    } catch (error) {
      return `saving it to ${target} failed (${String(error)}); restore a backup`
    }
  }
}

function savedPath(path: string): string {
  return `${path}.saved-${new Date(systemClock.now()).toISOString().replaceAll(/[^\dTZ]/g, '')}`
}

function numberOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? null
}

/** A check that fails for another reason, such as an unreadable folder, says nothing about the file. */
function isGone(path: string, ino: number | null): boolean {
  try {
    return ino !== null && numberOf(path) !== ino
  } catch {
    return false
  }
}
