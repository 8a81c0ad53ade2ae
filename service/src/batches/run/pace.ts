import { setTimeout as sleep } from 'node:timers/promises'
import type { Rate } from '../../foundation/rate.ts'
import { Turns } from '../../providers/transport/turns.ts'

/** A fetch takes some milliseconds of the process; 50 of them a second leave most of it to callers who wait. */
const fetchEveryMs = 20
const fetchesAtFirst = 4
/** As many as rows of a batch may be under way: rows that the store answers hold a token while they are. */
const tokensAtMost = 32

/** The part of a key's rate limit that its batches have. */
export function rateOfBatches(rate: Rate, share: number): Rate {
  return { ...rate, limit: Math.max(1, Math.floor(rate.limit * share)) }
}

/** How long so many rows take at the least: what the rate limit lets begin, and what the fetches of one node take. */
export function secondsOfBatch(batch: { rows: number; fetches: number; rate: Rate; share: number }): number {
  const { limit, windowMs } = rateOfBatches(batch.rate, batch.share)
  const fullWindows = Math.ceil(batch.rows / limit) - 1
  return Math.ceil(Math.max(fullWindows * windowMs, batch.fetches * fetchEveryMs) / 1_000)
}

interface Time {
  now(): number
  sleep(ms: number): Promise<unknown>
}

const realTime: Time = { now: () => performance.now(), sleep }

/**
 * When the next row of this node's batches may begin: a token bucket of 50 fetches a second. A row that the store
 * answered gives its token back, so such rows begin one in each turn of the event loop. Waiting for a provider costs
 * nothing, so this does not depend on how slow it is.
 */
export class Pace {
  readonly #time: Time
  readonly #turns = new Turns(1)
  /** Who waits, by environment; the next turn is that of the first one. */
  readonly #lines = new Map<number, (() => void)[]>()
  #isServing = false
  #tokens = fetchesAtFirst
  #filledAt: number
  #givenBack = Promise.withResolvers<void>()

  constructor(time: Time = realTime) {
    this.#time = time
    this.#filledAt = time.now()
  }

  /** Resolves when a row of an environment may begin: environments take turns, and the rows of each are in the order of the calls. */
  next(accountId: number): Promise<void> {
    return new Promise((resolve) => {
      const line = this.#lines.get(accountId)
      if (line) line.push(resolve)
      else this.#lines.set(accountId, [resolve])
      void this.#serve()
    })
  }

  async #serve(): Promise<void> {
    if (this.#isServing) return
    this.#isServing = true
    while (this.#lines.size > 0) {
      await this.#take()
      const [[accountId, line] = [0, []]] = this.#lines
      this.#lines.delete(accountId)
      line.shift()?.()
      if (line.length > 0) this.#lines.set(accountId, line)
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

  async #take(): Promise<void> {
    for (;;) {
      const now = this.#time.now()
      this.#add((now - this.#filledAt) / fetchEveryMs)
      this.#filledAt = now
      if (this.#tokens >= 1) break
      const missingMs = Math.ceil((1 - this.#tokens) * fetchEveryMs)
      await Promise.race([this.#time.sleep(missingMs), this.#givenBack.promise])
    }
    this.#tokens -= 1
    await this.#turns.next()
  }

  #add(tokens: number): void {
    this.#tokens = Math.min(tokensAtMost, this.#tokens + tokens)
  }
}
