import { statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { storeName } from '../../foundation/data-folder.ts'
import type { Log } from '../../foundation/log.ts'

/** With less than this the next group of charges may not fit. */
const reserveBytes = 4 * 1_048_576
const checkEveryMs = 5_000

/**
 * Monitors the free space of the embedded store's disk: when it is full, reads work but nothing can be billed. A full
 * disk is detected before a call fails, logged once, and over as soon as there is space again.
 */
export class DiskRoom {
  readonly #folder: string
  readonly #log: Log
  readonly #timer = setInterval(() => void this.look(), checkEveryMs).unref()
  #isFull = false
  /** The last figure; NaN before the first check, or if the system returns none. */
  freeBytes = NaN
  totalBytes = NaN

  constructor(folder: string, log: Log) {
    this.#folder = folder
    this.#log = log
    void this.look()
  }

  /** Checks now and returns whether there is space to write. A disk that cannot be checked counts as having space. */
  async look(): Promise<boolean> {
    try {
      const { bavail, bsize, blocks } = await statfs(this.#folder)
      this.totalBytes = blocks * bsize
      this.freeBytes = bavail * bsize
    } catch {
      this.freeBytes = NaN
    }
    const isFull = this.freeBytes < reserveBytes
    if (isFull !== this.#isFull) this.#logChange(isFull)
    this.#isFull = isFull
    return !isFull
  }

  /** The size of the store's write-ahead log. Only its entry is read: opening the file would drop the engine's locks. */
  logBytes(): number {
    return statSync(join(this.#folder, `${storeName}-wal`), { throwIfNoEntry: false })?.size ?? 0
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #logChange(isFull: boolean): void {
    const facts = { folder: this.#folder, freeBytes: this.freeBytes }
    if (isFull) this.#log.error(facts, 'the disk of the store is full: the service is not ready, make room')
    else this.#log.info(facts, 'there is room again on the disk of the store')
  }
}
