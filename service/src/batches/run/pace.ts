import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { FairLine } from '../../foundation/environments/fair-line.ts'
import type { Rate } from '../../foundation/rate.ts'
import { Turns } from '../../providers/transport/turns.ts'

/**
 * Idle time of the event loop per fetch: grouped this way, fetches use the CPU time that 50 per second used one by one.
 */
const idleMsPerFetch = 11
/** However busy the process is, a fetch begins after this time. */
const fetchAtLatestMs = 20
/** The time per fetch on an otherwise idle node: the idle time plus about 1 ms of work. */
const usualFetchMs = 12
/** Equals the maximum number of rows in progress per batch: rows that the store answers hold a token while they run. */
const tokensAtMost = 32
/** How long rows wait for each other: steps that are taken together share messages, transactions and syncs. */
const beatMs = 25

/** The share of a key's rate limit for its batches. */
export function rateOfBatches(rate: Rate, share: number): Rate {
  return { ...rate, limit: Math.max(1, Math.floor(rate.limit * share)) }
}

/** The minimum duration of a batch, by the rate limit and by the fetch pace of one node. */
export function secondsOfBatch(batch: { rows: number; fetches: number; rate: Rate; share: number }): number {
  const { limit, windowMs } = rateOfBatches(batch.rate, batch.share)
  const fullWindows = Math.ceil(batch.rows / limit) - 1
  return Math.ceil(Math.max(fullWindows * windowMs, batch.fetches * usualFetchMs) / 1_000)
}

interface Time {
  now(): number
  /** Total idle time of the event loop since its start. */
  idle(): number
  sleep(ms: number): Promise<unknown>
}

const realTime: Time = {
  now: () => performance.now(),
  idle: () => performance.eventLoopUtilization().idle,
  sleep,
}

/**
 * Decides when the next row of this node's batches may begin. It is a token bucket filled by the idle time of the event
 * loop, so that waiting callers go first on any machine. A row that the store answered returns its token, so such rows
 * begin one per turn of the event loop. Waiting for a provider uses no CPU, so a slow provider does not matter.
 */
export class Pace {
  readonly #time: Time
  readonly #turns = new Turns(1)
  readonly #line = new FairLine()
  #isServing = false
  #tokens = 0
  #filledAt: { now: number; idle: number }
  #beat: Promise<void> | null = null
  #givenBack = Promise.withResolvers<void>()

  constructor(time: Time = realTime) {
    this.#time = time
    this.#filledAt = { now: time.now(), idle: time.idle() }
  }

  /**
   * Resolves when a row of an environment may begin: environments take turns, and the rows of each keep their order.
   */
  next(environmentId: number): Promise<void> {
    const turn = this.#line.join(environmentId)
    void this.#serve()
    return turn
  }

  async #serve(): Promise<void> {
    if (this.#isServing) return
    this.#isServing = true
    while (!this.#line.isEmpty) {
      await this.#take()
      this.#line.advance()
    }
    this.#isServing = false
  }

  /** A row has ended. `asked`: a provider was asked for it. */
  ended({ asked }: { asked: boolean }): void {
    if (asked) return
    this.#add(1)
    this.#givenBack.resolve()
    this.#givenBack = Promise.withResolvers()
  }

  /** Resolves a moment later for all that wait, so that rows at the same step take it together. */
  together(): Promise<void> {
    this.#beat ??= this.#time.sleep(beatMs).then(() => {
      this.#beat = null
    })
    return this.#beat
  }

  async #take(): Promise<void> {
    for (this.#fill(); this.#tokens < 1; this.#fill()) await Promise.race([this.together(), this.#givenBack.promise])
    this.#tokens -= 1
    await this.#turns.next()
  }

  #fill(): void {
    const { now, idle } = this.#filledAt
    this.#filledAt = { now: this.#time.now(), idle: this.#time.idle() }
    const [passedMs, idleMs] = [this.#filledAt.now - now, this.#filledAt.idle - idle]
    this.#add(Math.max(idleMs / idleMsPerFetch, passedMs / fetchAtLatestMs))
  }

  #add(tokens: number): void {
    this.#tokens = Math.min(tokensAtMost, this.#tokens + tokens)
  }
}
