import { isLockTimeout } from '../database/engine/lost-connection.ts'
import { Failure } from '../foundation/failure.ts'
import {
  EnvironmentLines,
  chargesIn,
  type Part,
  NotedVersions,
  settleBatch,
  type Entry,
  type SettleStore,
} from './environment-lines.ts'
import { crowd, gatherCrowd } from './gather-crowd.ts'
import type { Decision, ReleaseRequest, SettleRequest } from './decision/settlement-requests.ts'
import type { Outcome } from './store/settlement-wire.ts'

interface Options {
  /** The maximum number of batches in flight. One environment is in at most one of them. */
  batchesAtOnce?: number
  onBatch?(size: number, ms: number): void
  /** Resolves when requests known to be on their way have arrived; null if absent. */
  arriving?(): Promise<unknown> | null
}

const waitingAtMost = 20_000
/**
 * After this wait for its lock, a batch of one environment counts as slow and frees its slot for others. An environment
 * whose last lock attempt timed out counts as slow from the start. So locked environments hold a fixed share of the
 * connections at most.
 */
const slowAfterMs = 200
const slowAtMost = 2
const batchAtMost = 1_000

/**
 * Group commit: all requests that arrive while a batch is in flight form the next one. On PostgreSQL several batches
 * are in flight, and a shared batch never waits for an environment that another transaction has locked. Such an
 * environment gets its own batch, which waits; if the lock times out, only its requests fail. `environment-lines.ts`
 * has the states of an environment.
 */
export class SettlementQueue {
  readonly #store: SettleStore
  readonly #options: Options
  readonly #lines = new EnvironmentLines()
  readonly #noted = new NotedVersions()
  #unanswered = 0
  /** Batches in flight: shared ones, and those of a single environment. */
  #shared = 0
  #own = 0
  /** Of the batches of a single environment, those that wait long. */
  #slow = 0
  #isGathering = false
  #last = { size: 0, charges: 0 }

  constructor(store: SettleStore, options: Options = {}) {
    this.#store = store
    this.#options = options
  }

  /** Resolves when the request's batch is durable. */
  readonly settle = (request: SettleRequest): Promise<Decision> => this.#add(request, false)

  /** Whether a payment may be settled with another write: it would not have shared a batch. */
  readonly isIdle = (environmentId: number): boolean => this.#lines.isIdle(environmentId)

  /** Ends a call after the reply to a payment outside this queue was lost: finds the payment, or releases the hold. */
  readonly findOrRelease = (request: ReleaseRequest): Promise<Decision> => this.#add(request, true)

  #add(request: SettleRequest, maybeDone: boolean): Promise<Decision> {
    const isOverloaded = this.#unanswered >= waitingAtMost && !maybeDone
    if (isOverloaded) return Promise.reject(new Failure('overloaded', { retryAfterSeconds: 1 }))
    this.#unanswered += 1
    return new Promise((resolve, reject) => {
      this.#lines.add({ request, maybeDone, resolve, reject })
      void this.#start()
    })
  }

  async #start(): Promise<void> {
    const { batchesAtOnce = 1, arriving = () => null } = this.#options
    const mayShare = () => this.#shared < batchesAtOnce && this.#lines.mayShare
    if (!this.#isGathering && mayShare()) {
      if (this.#last.size >= crowd) {
        this.#isGathering = true
        await gatherCrowd(this.#lines, { isOfCharges: this.#last.charges >= crowd, arriving })
        this.#isGathering = false
      }
      if (mayShare()) void this.#settleShared(this.#lines.takeShared(batchAtMost))
    }
    for (let part = this.#nextOwn(batchesAtOnce); part; part = this.#nextOwn(batchesAtOnce)) void this.#settleOwn(part)
  }

  #nextOwn(batchesAtOnce: number): Part | null {
    const suspect = this.#slow < slowAtMost ? this.#lines.takeOwn(batchAtMost, { suspect: true }) : null
    return suspect ?? (this.#own < batchesAtOnce ? this.#lines.takeOwn(batchAtMost, { suspect: false }) : null)
  }

  async #settleShared(parts: Part[]): Promise<void> {
    const entries = parts.flatMap((part) => part.entries)
    this.#last = { size: entries.length, charges: chargesIn(entries) }
    this.#shared += 1
    const locked = new Set(await this.#settle(parts, false))
    this.#shared -= 1
    for (const part of parts) {
      if (locked.has(part)) this.#failAll(this.#lines.locked(part, this.#slow < slowAtMost))
      else this.#lines.settled(part, false)
    }
    this.#batchEnded()
  }

  async #settleOwn(part: Part): Promise<void> {
    let isSlow = part.line.stuckUntil > 0
    if (isSlow) this.#slow += 1
    else this.#own += 1
    const timer = setTimeout(() => {
      if (isSlow || this.#slow >= slowAtMost) return
      isSlow = true
      this.#own -= 1
      this.#slow += 1
      void this.#start()
    }, slowAfterMs)
    const [locked] = await this.#settle([part], true)
    clearTimeout(timer)
    if (isSlow) this.#slow -= 1
    else this.#own -= 1
    if (locked) this.#failAll(this.#lines.lockNeverCame(part))
    else this.#lines.settled(part, true)
    this.#batchEnded()
  }

  #batchEnded(): void {
    void this.#start()
  }

  #failAll(entries: readonly Entry[]): void {
    for (const entry of entries) this.#reject(entry, new Failure('store_unavailable', { retryAfterSeconds: 1 }))
  }

  /** Settles a batch and answers its requests. Returns the parts that could not be locked. */
  async #settle(parts: readonly Part[], wait: boolean): Promise<Part[]> {
    const entries = parts.flatMap((part) => part.entries)
    const started = performance.now()
    try {
      const outcomes = (await settleBatch(this.#store, entries, { wait, noted: this.#noted })).values()
      return parts.filter(
        (part) => part.entries.filter((entry) => this.#isBusy(entry, outcomes.next().value)).length > 0,
      )
    } catch (error) {
      if (isLockTimeout(error)) return [...parts]
      for (const entry of entries) this.#reject(entry, error)
      return []
    } finally {
      this.#options.onBatch?.(entries.length, performance.now() - started)
    }
  }

  /** Whether the request must be sent again; otherwise it is answered. */
  #isBusy(entry: Entry, outcome: Outcome | undefined): boolean {
    if (outcome?.outcome === 'busy') return true
    if (outcome) {
      this.#unanswered -= 1
      entry.resolve(outcome)
    } else {
      this.#reject(entry, new Error('a batch answered fewer requests than it was given'))
    }
    return false
  }

  #reject(entry: Entry, error: unknown): void {
    this.#unanswered -= 1
    entry.reject(error)
  }
}
