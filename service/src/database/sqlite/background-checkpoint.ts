import { once } from 'node:events'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { moduleUrl } from '../../foundation/module-url.ts'

/** In pages: 16 MB of log. */
const longLogPages = 4_000
/** So few that copying them takes about as long as a sync: then the log is empty, and begins again. */
const fewPages = 500
const lookEveryCommits = 8

/** Of the store of this thread: what begins a checkpoint, the one that is under way, and how many want none. */
let begin: (() => Promise<void>) | null = null
let underWay: Promise<void> | null = null
let unwanted = 0

/** Copies of the log what nobody reads, while commits go on. */
export async function copyLog(): Promise<void> {
  await underWay
  await begin?.()
}

/** Runs what a checkpoint would be in the way of: emptying the log is refused meanwhile. */
export async function withoutCheckpoint<Result>(work: () => Promise<Result>): Promise<Result> {
  unwanted += 1
  try {
    await underWay
    return await work()
  } finally {
    unwanted -= 1
  }
}

/**
 * Copies the write-ahead log into the database (a checkpoint) in a thread of its own. It copies 16 MB and waits for two syncs, and the
 * engine would do that inside a commit, while every settlement waits. Only the last pages, which are written meanwhile,
 * are copied by a commit. The thread is started with the first checkpoint.
 */
export class BackgroundCheckpoint {
  readonly #path: string
  readonly #count: StatementSync
  readonly #checkpoint: StatementSync
  #worker: Worker | null = null
  #commits = 0
  /** How long the log must be before the next one. While a report reads the file, nothing is copied, however often it is tried. */
  #nextAtPages = longLogPages

  constructor(path: string, raw: DatabaseSync) {
    this.#path = path
    begin = this.#copyAll
    // The engine's own would be tried in every commit while a report keeps it from copying, and each time sort the whole log.
    raw.exec('pragma wal_autocheckpoint = 0')
    this.#count = raw.prepare('pragma wal_checkpoint(noop)')
    this.#checkpoint = raw.prepare('pragma wal_checkpoint(passive)')
  }

  /** To be called after each commit; every few of them it looks how long the log is. */
  readonly committed = (): void => {
    this.#commits += 1
    if (this.#commits % lookEveryCommits !== 0 || underWay || unwanted > 0) return
    try {
      this.#checkpointIfLong()
    } catch {
      // A disk that is full or broken: what was committed stays committed, and the next write says so to its caller.
    }
  }

  #checkpointIfLong(): void {
    const { log, left } = this.#pages()
    // It has begun again.
    if (log < longLogPages) this.#nextAtPages = longLogPages
    if (log < this.#nextAtPages || left === 0) return
    if (left <= fewPages) this.#checkpoint.get()
    else void this.#copy(left)
  }

  readonly #copyAll = () => this.#copy(Infinity)

  /** Copies in the other thread. Where that leaves no less than there was, the next one waits until the log has grown. */
  #copy(leftBefore: number): Promise<void> {
    underWay = this.#checkpointApart(leftBefore).finally(() => (underWay = null))
    return underWay
  }

  /** The pages of the log, and how many of them are not in the database yet. */
  #pages(): { log: number; left: number } {
    const { log, checkpointed } = this.#count.get() ?? {}
    return { log: Number(log), left: Number(log) - Number(checkpointed) }
  }

  async close(): Promise<void> {
    await underWay
    if (begin === this.#copyAll) begin = null
    await this.#worker?.terminate()
  }

  async #checkpointApart(leftBefore: number): Promise<void> {
    try {
      const worker = (this.#worker ??= this.#start())
      worker.postMessage('checkpoint')
      await once(worker, 'message')
    } catch {
      // The next one starts it again.
      this.#worker = null
    }
    try {
      const { log, left } = this.#pages()
      if (left >= leftBefore) this.#nextAtPages = log + longLogPages
      // Where the thread does not come, commits wait for it.
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
