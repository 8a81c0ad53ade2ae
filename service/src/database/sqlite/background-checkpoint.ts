import { once } from 'node:events'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { moduleUrl } from '../../foundation/module-url.ts'

/** In pages: 16 MB of log. */
const longLogPages = 4_000
/** So few that copying them takes about as long as a sync: afterwards the log is empty and starts over. */
const fewPages = 500
const checkEveryCommits = 8

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
 * Copies the write-ahead log into the database (a checkpoint) in its own thread. It copies 16 MB and waits for two
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

  constructor(path: string, raw: DatabaseSync) {
    this.#path = path
    begin = this.#copyAll
    // The engine's own checkpoint would run in every commit while a report blocks it, and sort the whole log each time.
    raw.exec('pragma wal_autocheckpoint = 0')
    this.#count = raw.prepare('pragma wal_checkpoint(noop)')
    this.#checkpoint = raw.prepare('pragma wal_checkpoint(passive)')
  }

  /** Call it after each commit; every few commits it checks the length of the log. */
  readonly committed = (): void => {
    this.#commits += 1
    if (this.#commits % checkEveryCommits !== 0 || inProgress || unwanted > 0) return
    try {
      this.#checkpointIfLong()
    } catch {
      // A full or broken disk: committed data stays committed, and the next write reports it to its caller.
    }
  }

  #checkpointIfLong(): void {
    const { log, left } = this.#pages()
    // The log has started over.
    if (log < longLogPages) this.#nextAtPages = longLogPages
    if (log < this.#nextAtPages || left === 0) return
    if (left <= fewPages) this.#checkpoint.get()
    else void this.#copy(left)
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
      if (left >= leftBefore) this.#nextAtPages = log + longLogPages
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
