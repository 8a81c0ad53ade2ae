import type { LimitedRate, RateLimiter } from '../../accounts/rate-limits/rate-limiter.ts'
import { Failure } from '../../foundation/failure.ts'
import type { Rate } from '../../foundation/rate.ts'

/** The fetches of one key that currently use its allowance, and those that wait for one of them to end. */
interface Spenders {
  active: number
  givenBack: number
  waiting: (() => void)[]
}

/** Decides which fetches stay counted: misses, and fetches whose caller has disconnected. Neither is paid for. */
interface Unpaid {
  isMiss(error: unknown): boolean
  isGone?: (() => boolean) | undefined
}

/**
 * Misses are free for the caller but may cost the operator, so each key has a limit on them. Fetches whose caller
 * disconnects count too; otherwise disconnecting would make fetches free. A fetch is counted before it starts and given
 * back if it is paid for. At the limit, a fetch waits for running ones that may be given back. So a burst of paid
 * lookups is never refused, and the limit is never exceeded.
 */
export class MissAllowance {
  readonly #limiter: RateLimiter
  readonly #rate: LimitedRate
  readonly #spenders = new Map<string, Spenders>()

  constructor(limiter: RateLimiter, rate: Rate) {
    this.#limiter = limiter
    // Paid fetches count here too until they end: a closed window would refuse them for an hour after a loss of Redis.
    this.#rate = { ...rate, opensAtOnce: true }
  }

  /** Runs a fetch on the key's allowance. */
  async spend<Result>(keyId: string, fetch: () => Promise<Result>, { isMiss, isGone }: Unpaid): Promise<Result> {
    const id = `misses/${keyId}`
    const spenders = await this.#take(id)
    let isUnpaid = false
    try {
      const result = await fetch()
      isUnpaid = isGone?.() ?? false
      return result
    } catch (error) {
      isUnpaid = isMiss(error)
      throw error
    } finally {
      if (!isUnpaid) await this.#limiter.giveBack(id, this.#rate)
      this.#leave(id, spenders, !isUnpaid)
    }
  }

  /** Counts an answer that revealed something without a fetch; refuses it if the allowance is used up. */
  async count(keyId: string): Promise<void> {
    const id = `misses/${keyId}`
    this.#leave(id, await this.#take(id), false)
  }

  /** Whether a fetch of this key would be refused now. */
  async isUsedUp(keyId: string): Promise<boolean> {
    const { allowed } = await this.#limiter.peek(`misses/${keyId}`, this.#rate)
    return !allowed
  }

  async #take(id: string): Promise<Spenders> {
    for (;;) {
      // Count before asking the limiter: a fetch that is refused meanwhile must know that this one may be given back.
      const spenders = this.#spenders.get(id) ?? { active: 0, givenBack: 0, waiting: [] }
      this.#spenders.set(id, spenders)
      spenders.active++
      const { givenBack } = spenders
      let retryAfterSeconds = 0
      try {
        const verdict = await this.#limiter.take(id, this.#rate)
        if (verdict.allowed) return spenders
        retryAfterSeconds = verdict.resetSeconds
      } catch (error) {
        this.#leave(id, spenders, false)
        throw error
      }
      this.#leave(id, spenders, false)
      if (spenders.givenBack !== givenBack) continue
      if (spenders.active === 0) throw new Failure('upstream_allowance_exceeded', { retryAfterSeconds })
      await new Promise<void>((resolve) => spenders.waiting.push(resolve))
    }
  }

  /**
   * One returned unit wakes one waiting fetch. When no fetch is left to wait for, all waiting ones ask the limiter
   * again.
   */
  #leave(id: string, spenders: Spenders, givenBack: boolean): void {
    spenders.active--
    if (givenBack) spenders.givenBack++
    if (spenders.active === 0) this.#spenders.delete(id)
    const woken = spenders.active === 0 ? spenders.waiting.length : Number(givenBack)
    for (const wake of spenders.waiting.splice(0, woken)) wake()
  }
}
