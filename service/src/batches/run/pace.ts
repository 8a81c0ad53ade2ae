import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { FairLine } from '../../foundation/environments/fair-line.ts'
import type { Rate } from '../../foundation/rate.ts'
import { Turns } from '../../providers/transport/turns.ts'

/** So much of the event loop's idle time for each fetch: together they take the CPU that fifty a second took one by one. */
const idleMsPerFetch = 11
/** However busy the process is, a fetch begins after so long. */
const fetchAtLatestMs = 20
/** What a fetch takes of the time of an otherwise idle node: the idle time, and about a millisecond of its own. */
const usualFetchMs = 12
/** As many as rows of a batch may be under way: rows that the store answers hold a token while they are. */
const tokensAtMost = 32
/** Rows wait so long for each other: steps that are taken together share messages, transactions and syncs. */
const beatMs = 25

/** The part of a key's rate limit that its batches have. */
export function rateOfBatches(rate: Rate, share: number): Rate {
  return { ...rate, limit: Math.max(1, Math.floor(rate.limit * share)) }
}

/** How long so many rows take at the least: what the rate limit lets begin, and what the fetches of one node take. */
export function secondsOfBatch(batch: { rows: number; fetches: number; rate: Rate; share: number }): number {
  const { limit, windowMs } = rateOfBatches(batch.rate, batch.share)
  const fullWindows = Math.ceil(batch.rows / limit) - 1
  return Math.ceil(Math.max(fullWindows * windowMs, batch.fetches * usualFetchMs) / 1_000)
}

interface Time {
  now(): number
  /** How long the event loop has had nothing to do, since it began. */
  idle(): number
  sleep(ms: number): Promise<unknown>
}

const realTime: Time = {
  now: () => performance.now(),
  idle: () => performance.eventLoopUtilization().idle,
  sleep,
}

/**
 * When the next row of this node's batches may begin: a token bucket that is filled by the idle time of the event loop, so that
 * callers who wait go first on any machine. A row that the store answered gives its token back, so such rows begin one in
 * each turn of the event loop. Waiting for a provider costs nothing, so this does not depend on how slow it is.
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

  /** Resolves when a row of an environment may begin: environments take turns, and the rows of each are in the order of the calls. */
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

  /** Resolves a moment later, for all who wait at once: rows that have come to the same step take it together. */
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
