import { once } from 'node:events'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { moduleUrl } from '../../foundation/module-url.ts'
import { isCopying } from './reader/copy-sqlite.ts'

/** In pages: 4 MB of log. A commit waits while the thread syncs what it copied, on a slow disk for seconds per 16 MB. */
const longLogPages = 1_000
/** So few that copying them takes about as long as a sync: afterwards the log is empty and starts over. */
const fewPages = 250
/** In pages, 16 MB: how often a log is tried that a reader keeps from being copied. */
const blockedPages = 4_000
const checkEveryCommits = 8
/** In pages, 64 MB: readers are asked for room from here on, each time the log has grown by a quarter. */
const roomPages = 16_000
/** In pages: how often a log of that length is tried, because new reports wait meanwhile. */
const tryEveryPages = 250
/** A page in the log, with its header. */
const frameBytes = 4_096 + 24
/** The log file is cut to this size when it starts over. */
const keptBytes = roomPages * frameBytes

/**
 * For the store of this thread: the function that starts a checkpoint, the one in progress, and the number of tasks
 * that forbid one.
 */
let begin: (() => Promise<void>) | null = null
let inProgress: Promise<void> | null = null
let unwanted = 0

/** Copies the parts of the log that nobody reads, while commits continue. */
export async function copyLog(): Promise<void> {
  await inProgress
  await begin?.()
}

/** Runs work that a checkpoint would block: emptying the log is refused during one. */
export async function withoutCheckpoint<Result>(work: () => Promise<Result>): Promise<Result> {
  unwanted += 1
  try {
    await inProgress
    return await work()
  } finally {
    unwanted -= 1
  }
}

/**
 * Copies the write-ahead log into the database (a checkpoint) in its own thread. It copies 4 MB and waits for two
 * syncs; the engine would do that inside a commit, while every settlement waits. Only the last pages, written
 * meanwhile, are copied by a commit. The thread is started with the first checkpoint.
 */
export class BackgroundCheckpoint {
  readonly #path: string
  readonly #count: StatementSync
  readonly #checkpoint: StatementSync
  #worker: Worker | null = null
  #commits = 0
  /**
   * The log length for the next attempt. While a report reads the file, nothing can be copied, however often it is
   * tried.
   */
  #nextAtPages = longLogPages
  readonly #onLength: (bytes: number) => void
  #tellAtPages = roomPages

  /** `onLength` gets the length of a log that readers keep from starting over, and 0 when it has started over. */
  constructor(path: string, raw: DatabaseSync, onLength: (bytes: number) => void = () => undefined) {
    this.#path = path
    this.#onLength = onLength
    begin = this.#copyAll
    // The engine's own checkpoint would run in every commit while a report blocks it, and sort the whole log each time.
    raw.exec('pragma wal_autocheckpoint = 0')
    raw.exec(`pragma journal_size_limit = ${keptBytes}`)
    this.#count = raw.prepare('pragma wal_checkpoint(noop)')
    this.#checkpoint = raw.prepare('pragma wal_checkpoint(passive)')
  }

  /** Call it after each commit; every few commits it checks the length of the log. */
  readonly committed = (): void => {
    this.#commits += 1
    if (this.#commits % checkEveryCommits !== 0) return
    try {
      const { log, left } = this.#pages()
      this.#tellLength(log)
      if (!inProgress && unwanted === 0) this.#checkpointIfLong(log, left)
    } catch {
      // A full or broken disk: committed data stays committed, and the next write reports it to its caller.
    }
  }

  #tellLength(log: number): void {
    if (log < roomPages) {
      if (this.#tellAtPages > roomPages) this.#onLength(0)
      this.#tellAtPages = roomPages
    } else if (log >= this.#tellAtPages && !isCopying()) {
      this.#tellAtPages = log * 1.25
      this.#onLength(log * frameBytes)
    }
  }

  #checkpointIfLong(log: number, left: number): void {
    // The log has started over.
    if (log < longLogPages) this.#nextAtPages = longLogPages
    if (log < this.#nextAtPages || left === 0) return
    // On a slow disk the thread never gets down to a few pages: the longer the log, the more a commit copies.
    if (left > Math.max(fewPages, log / 8)) void this.#copy(left)
    else {
      this.#checkpoint.get()
      // A reader may keep the log from starting over.
      this.#nextAtPages = log + tryEveryPages
    }
  }

  readonly #copyAll = () => this.#copy(Infinity)

  /**
   * Copies in the other thread. If that does not reduce the pages left, the next attempt waits until the log has grown.
   */
  #copy(leftBefore: number): Promise<void> {
    inProgress = this.#checkpointApart(leftBefore).finally(() => (inProgress = null))
    return inProgress
  }

  /** The pages of the log, and how many of them are not in the database yet. */
  #pages(): { log: number; left: number } {
    const { log, checkpointed } = this.#count.get() ?? {}
    return { log: Number(log), left: Number(log) - Number(checkpointed) }
  }

  async close(): Promise<void> {
    await inProgress
    if (begin === this.#copyAll) begin = null
    await this.#worker?.terminate()
  }

  async #checkpointApart(leftBefore: number): Promise<void> {
    try {
      const worker = (this.#worker ??= this.#start())
      worker.postMessage('checkpoint')
      await once(worker, 'message')
    } catch {
      // The next checkpoint starts it again.
      this.#worker = null
    }
    try {
      const { log, left } = this.#pages()
      if (left >= leftBefore) this.#nextAtPages = log + (log < roomPages ? blockedPages : tryEveryPages)
      // If the thread cannot run, commits copy the log themselves.
      if (!this.#worker) this.#checkpoint.get()
    } catch {
      // As after a commit.
    }
  }

  #start(): Worker {
    const worker = new Worker(moduleUrl('./checkpoint-thread', import.meta.url), {
      workerData: this.#path,
      resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 },
    })
    // It may end between two checkpoints: without a listener the store's thread would end with it.
    worker.on('error', () => (this.#worker = null))
    worker.unref()
    return worker
  }
}
