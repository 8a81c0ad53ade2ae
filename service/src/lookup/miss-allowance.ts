import type { RateLimiter } from '../accounts/rate-limiter.ts'
import { Failure } from '../foundation/failure.ts'
import type { Rate } from '../foundation/rate.ts'

/**
 * A miss is free for the caller but may cost the operator, so each key has a limit on them. A fetch is counted before
 * it happens and given back if it was no miss; while others that may yet be given back run, it waits for one of them,
 * so that a burst of good lookups is never refused and the limit is never passed either.
 */
export class MissAllowance {
  readonly #limiter: RateLimiter
  readonly #rate: Rate
  readonly #running = new Map<string, Set<Promise<void>>>()

  constructor(limiter: RateLimiter, rate: Rate) {
    this.#limiter = limiter
    this.#rate = rate
  }

  /** Runs a fetch on the key's allowance; `missed` says which of its errors is a miss. */
  async spend<Result>(
    keyId: string,
    fetch: () => Promise<Result>,
    missed: (error: unknown) => boolean,
  ): Promise<Result> {
    const id = `misses/${keyId}`
    await this.#take(id)
    const { promise, resolve } = Promise.withResolvers<void>()
    const running = this.#running.get(id) ?? new Set()
    this.#running.set(id, running.add(promise))
    let isMiss = false
    try {
      return await fetch()
    } catch (error) {
      isMiss = missed(error)
      throw error
    } finally {
      if (!isMiss) await this.#limiter.giveBack(id, this.#rate)
      running.delete(promise)
      if (running.size === 0) this.#running.delete(id)
      resolve()
    }
  }

  async #take(id: string): Promise<void> {
    for (;;) {
      const verdict = await this.#limiter.take(id, this.#rate)
      if (verdict.allowed) return
      const running = this.#running.get(id)
      if (!running) throw new Failure('upstream_allowance_exceeded', { retryAfterSeconds: verdict.resetSeconds })
      await Promise.race(running)
    }
  }
}
