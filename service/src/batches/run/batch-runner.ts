import { randomUUID } from 'node:crypto'
import type { StoredBatch } from '../store/submit-batch.ts'
import { BatchRun } from './batch-run.ts'
import type { BatchDeps } from '../deps.ts'
import { Pace } from './pace.ts'
import { removeExpiredBatches } from '../remove-expired.ts'
import { pauseAtMostMs } from './row-failures.ts'
import { runSamples } from './run-samples.ts'

const checkEveryMs = 1_000
const renewEveryMs = 2_000
const leaseMs = 10_000
const removeEveryMs = 60_000
/** The maximum number of concurrent batches: on this node, and of one environment on all nodes. */
const batchesAtOnce = 64
const batchesOfEnvironment = 4
/** An environment without a running batch gets one started anyway, up to this total. */
const batchesAtMost = 512
/**
 * The maximum number of rows in progress, per batch and for all batches of this node: the remaining capacity belongs to
 * waiting callers.
 */
const rowsOfOne = 32
const rowsOfAll = 64

interface Running {
  environmentId: number
  lease: number
  stop(): void
  ended: Promise<void>
}

/**
 * Runs the batches of this node in the background. A lease in the database ensures that each batch has one runner
 * across all nodes. Batches of a dead node are taken over when its leases end.
 */
export class BatchRunner {
  readonly #deps: BatchDeps
  readonly #node = randomUUID()
  readonly #running = new Map<number, Running>()
  readonly #pace = new Pace()
  #timers: NodeJS.Timeout[] = []
  #looking: Promise<void> | null = null
  #checkAgain = false
  #closed = false

  constructor(deps: BatchDeps) {
    this.#deps = deps
  }

  /**
   * Starts to run batches. `alone`: no other process uses the store, so the batches of a dead process are free at once.
   */
  async start({ alone }: { alone: boolean }): Promise<void> {
    if (alone) await this.#deps.store.freeBatches(null)
    const every = (ms: number, work: () => Promise<unknown>) => setInterval(() => void this.#try(work), ms).unref()
    this.#timers = [
      every(checkEveryMs, () => this.#look()),
      every(renewEveryMs, () => this.#renew()),
      every(removeEveryMs, () => removeExpiredBatches(this.#deps)),
    ]
    await this.#try(() => removeExpiredBatches(this.#deps))
    this.wake()
  }

  /** Checks for batches at once, because one was submitted or resumed here. */
  wake(): void {
    if (this.#timers.length > 0) void this.#try(() => this.#look())
  }

  /** Stops after the rows in progress. The rest waits for another node or the next start. */
  async close(): Promise<void> {
    this.#closed = true
    for (const timer of this.#timers) clearInterval(timer)
    this.#timers = []
    await this.#looking
    for (const { stop } of this.#running.values()) stop()
    await Promise.all([...this.#running.values()].map(({ ended }) => ended))
  }

  async #look(): Promise<void> {
    this.#checkAgain = true
    this.#looking ??= this.#claim().finally(() => (this.#looking = null))
    await this.#looking
  }

  async #claim(): Promise<void> {
    const { store, clock } = this.#deps
    while (this.#checkAgain && !this.#closed) {
      this.#checkAgain = false
      const isFull = this.#running.size >= batchesAtOnce
      const limit = (isFull ? batchesAtMost : batchesAtOnce) - this.#running.size
      if (limit <= 0) return
      const most = { limit, ofEnvironment: isFull ? 1 : batchesOfEnvironment, except: [...this.#running.keys()] }
      const batches = await store.claimBatches({ node: this.#node, now: clock.now(), leaseMs, pauseAtMostMs, ...most })
      for (const batch of batches) this.#begin(batch)
    }
  }

  #begin(batch: StoredBatch): void {
    const { id, account_id: environmentId, lease, mode } = batch
    const { run, stop } = mode === 'test' ? this.#samples(batch) : this.#lookups(batch)
    const ended = this.#try(run).finally(() => this.#running.delete(id))
    this.#running.set(id, { environmentId, lease, stop, ended })
  }

  #lookups(batch: StoredBatch) {
    const rowsAtOnce = () => this.#rowsAtOnce(batch.account_id)
    const run = new BatchRun(this.#deps, batch, { rowsAtOnce, pace: this.#pace })
    return { run: () => run.run(), stop: () => run.stop() }
  }

  #samples(batch: StoredBatch) {
    const stopped = new AbortController()
    return { run: () => runSamples(this.#deps, batch, stopped.signal), stop: () => stopped.abort() }
  }

  /** Shares the rows among environments, and then among the batches of each. */
  #rowsAtOnce(environmentId: number): number {
    const running = [...this.#running.values()].map((each) => each.environmentId)
    const own = running.filter((each) => each === environmentId).length
    return Math.max(1, Math.min(rowsOfOne, Math.floor(rowsOfAll / new Set(running).size / own)))
  }

  /** Stops batches that this node no longer owns, because they were cancelled or another node took them over. */
  async #renew(): Promise<void> {
    const held = [...this.#running].map(([id, { lease, stop }]) => ({ id, lease, stop }))
    if (held.length === 0) return
    const batches = held.map(({ id, lease }) => ({ id, lease }))
    const kept = new Set(await this.#deps.store.renewBatches({ batches, leaseMs }))
    for (const { id, stop } of held) if (!kept.has(id)) stop()
  }

  async #try(work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'could not run batches; retrying')
    }
  }
}
