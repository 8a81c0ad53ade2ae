import { once } from 'node:events'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { moduleUrl } from '../../foundation/module-url.ts'

/** In pages: 16 MB of log. */
const foldAt = 4_000
/** So few that folding them takes about as long as a sync: then the log is empty, and begins again. */
const fewPages = 500
const lookEveryCommits = 8

/** Folds that are under way, of the store of this thread, and those who want none. */
let folding: Promise<void> | null = null
let unwanted = 0

/** Runs what a fold would be in the way of: emptying the log is refused meanwhile. */
export async function withoutFolding<Result>(work: () => Promise<Result>): Promise<Result> {
  unwanted += 1
  try {
    await folding
    return await work()
  } finally {
    unwanted -= 1
  }
}

/**
 * Folds the write-ahead log into the database in a thread of its own. It copies 16 MB and waits for two syncs, and the
 * engine would do that inside a commit, while every settlement waits. Only the last pages, which are written meanwhile,
 * are folded by a commit. The thread is started when there is something to fold for the first time.
 */
export class BackgroundCheckpoint {
  readonly #path: string
  readonly #count: StatementSync
  readonly #fold: StatementSync
  #worker: Worker | null = null
  #commits = 0

  constructor(path: string, raw: DatabaseSync) {
    this.#path = path
    // Where the thread does not come: the engine's own, inside a commit.
    raw.exec(`pragma wal_autocheckpoint = ${2 * foldAt}`)
    this.#count = raw.prepare('pragma wal_checkpoint(noop)')
    this.#fold = raw.prepare('pragma wal_checkpoint(passive)')
  }

  /** To be called after each commit; every few of them it looks how long the log is. */
  readonly committed = (): void => {
    this.#commits += 1
    if (this.#commits % lookEveryCommits !== 0 || folding || unwanted > 0) return
    try {
      this.#foldIfLong()
    } catch {
      // A disk that is full or broken: what was committed stays committed, and the next write says so to its caller.
    }
  }

  #foldIfLong(): void {
    const { log, checkpointed } = this.#count.get() ?? {}
    const left = Number(log) - Number(checkpointed)
    if (Number(log) < foldAt || left === 0) return
    if (left <= fewPages) this.#fold.get()
    else folding = this.#foldApart().finally(() => (folding = null))
  }

  async close(): Promise<void> {
    await folding
    await this.#worker?.terminate()
  }

  async #foldApart(): Promise<void> {
    const worker = (this.#worker ??= this.#start())
    try {
      worker.postMessage('fold')
      await once(worker, 'message')
    } catch {
      // It is started again when the next commits find the log as long.
      this.#worker = null
    }
  }

  #start(): Worker {
    const worker = new Worker(moduleUrl('./checkpoint-thread', import.meta.url), {
      workerData: this.#path,
      resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 },
    })
    // It may end between two folds: without a listener the store's thread would end with it.
    worker.on('error', () => (this.#worker = null))
    worker.unref()
    return worker
  }
}
