import { once } from 'node:events'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { moduleUrl } from '../../foundation/module-url.ts'

/** In pages: 16 MB of log. */
const longLogPages = 4_000
/** So few that copying them takes about as long as a sync: then the log is empty, and begins again. */
const fewPages = 500
const lookEveryCommits = 8

/** The checkpoint that is under way, of the store of this thread, and how many want none. */
let underWay: Promise<void> | null = null
let unwanted = 0

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

  constructor(path: string, raw: DatabaseSync) {
    this.#path = path
    // Where the thread does not come: the engine's own, inside a commit.
    raw.exec(`pragma wal_autocheckpoint = ${2 * longLogPages}`)
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
    const { log, checkpointed } = this.#count.get() ?? {}
    const left = Number(log) - Number(checkpointed)
    if (Number(log) < longLogPages || left === 0) return
    if (left <= fewPages) this.#checkpoint.get()
    else underWay = this.#checkpointApart().finally(() => (underWay = null))
  }

  async close(): Promise<void> {
    await underWay
    await this.#worker?.terminate()
  }

  async #checkpointApart(): Promise<void> {
    const worker = (this.#worker ??= this.#start())
    try {
      worker.postMessage('checkpoint')
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
    // It may end between two checkpoints: without a listener the store's thread would end with it.
    worker.on('error', () => (this.#worker = null))
    worker.unref()
    return worker
  }
}
