import { randomUUID } from 'node:crypto'
import type { StoredBatch } from '../records/batches/submit-batch.ts'
import { BatchRun } from './batch-run.ts'
import type { BatchDeps } from './deps.ts'
import { removeExpiredBatches } from './remove-expired.ts'
import { runSamples } from './run-samples.ts'

const lookEveryMs = 1_000
const renewEveryMs = 2_000
const leaseMs = 10_000
const removeEveryMs = 60_000
const batchesAtOnce = 16
/** Rows under way, of one batch and of all batches of this node: the rest of the room belongs to callers who wait. */
const rowsOfOne = 16
const rowsOfAll = 64

interface Running {
  run: { stop(): void }
  ended: Promise<void>
}

/**
 * Runs the batches of this node in the background. Every batch has one runner over all nodes, by a lease in the database;
 * those of a dead node are taken over when its leases end.
 */
export class BatchRunner {
  readonly #deps: BatchDeps
  readonly #node = randomUUID()
  readonly #running = new Map<number, Running>()
  #timers: NodeJS.Timeout[] = []
  #looking: Promise<void> | null = null
  #lookAgain = false
  #closed = false

  constructor(deps: BatchDeps) {
    this.#deps = deps
  }

  /** Begins to run batches. `alone`: no other process uses the store, so what a dead one ran is free at once. */
  async start({ alone }: { alone: boolean }): Promise<void> {
    if (alone) await this.#deps.store.freeBatches(null)
    const every = (ms: number, work: () => Promise<unknown>) => setInterval(() => void this.#try(work), ms).unref()
    this.#timers = [
      every(lookEveryMs, () => this.#look()),
      every(renewEveryMs, () => this.#renew()),
      every(removeEveryMs, () => removeExpiredBatches(this.#deps)),
    ]
    await this.#try(() => removeExpiredBatches(this.#deps))
    this.wake()
  }

  /** Looks for batches at once: one was submitted or resumed here. */
  wake(): void {
    if (this.#timers.length > 0) void this.#try(() => this.#look())
  }

  /** Stops: rows that are under way end first, the rest waits for another node or the next start. */
  async close(): Promise<void> {
    this.#closed = true
    for (const timer of this.#timers) clearInterval(timer)
    this.#timers = []
    await this.#looking
    for (const { run } of this.#running.values()) run.stop()
    await Promise.all([...this.#running.values()].map(({ ended }) => ended))
  }

  async #look(): Promise<void> {
    this.#lookAgain = true
    this.#looking ??= this.#claim().finally(() => (this.#looking = null))
    await this.#looking
  }

  async #claim(): Promise<void> {
    const { store, clock } = this.#deps
    while (this.#lookAgain && !this.#closed) {
      this.#lookAgain = false
      const limit = batchesAtOnce - this.#running.size
      if (limit <= 0) return
      const batches = await store.claimBatches({ node: this.#node, now: clock.now(), leaseMs, limit })
      for (const batch of batches) if (!this.#running.has(batch.id)) this.#begin(batch)
    }
  }

  #begin(batch: StoredBatch): void {
    const rowsAtOnce = () => Math.max(1, Math.min(rowsOfOne, Math.floor(rowsOfAll / this.#running.size)))
    const isSample = batch.mode === 'test'
    const run = isSample ? null : new BatchRun(this.#deps, batch, { node: this.#node, rowsAtOnce })
    const work = () => run?.run() ?? runSamples(this.#deps, batch)
    const ended = this.#try(work).finally(() => this.#running.delete(batch.id))
    this.#running.set(batch.id, { run: run ?? { stop: () => undefined }, ended })
  }

  /** A batch that this node no longer has, because it was cancelled or another node took it, is let go. */
  async #renew(): Promise<void> {
    const ids = [...this.#running.keys()]
    if (ids.length === 0) return
    const kept = new Set(await this.#deps.store.renewBatches({ node: this.#node, ids, leaseMs }))
    for (const id of ids) if (!kept.has(id)) this.#running.get(id)?.run.stop()
  }

  async #try(work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'batches could not be run and will be tried again')
    }
  }
}
