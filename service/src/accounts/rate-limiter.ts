import type { Clock } from '../foundation/clock.ts'
import type { Rate } from '../foundation/rate.ts'

/** How a caller stands in its window after this call. */
export interface RateVerdict {
  allowed: boolean
  limit: number
  remaining: number
  /** Whole seconds until the window ends; waiting exactly that long succeeds. */
  resetSeconds: number
}

/** Counts calls. Where counting is shared between processes the verdict is a promise. */
export interface RateLimiter {
  take(id: string, rate: Rate): RateVerdict | Promise<RateVerdict>
  /** How it stands, without counting. */
  peek(id: string, rate: Rate): RateVerdict | Promise<RateVerdict>
  /** Takes one count back, where it turned out that nothing was used. */
  giveBack(id: string, rate: Rate): void | Promise<void>
}

interface Window {
  used: number
  endsAt: number
  /** The common counter could not be asked in this window: it is held to this process's share. */
  shared: boolean
}

const sweepAbove = 10_000

/**
 * Exact counting in this process: a fixed window that starts with the first call in it.
 * Refused calls do not extend the window. Synchronous, because it stands on the hot path.
 */
export class LocalRateLimiter implements RateLimiter {
  readonly #windows = new Map<string, Window>()
  readonly #clock: Clock
  #sweepAt = sweepAbove

  constructor(clock: Clock) {
    this.#clock = clock
  }

  take(id: string, rate: Rate): RateVerdict {
    const window = this.#window(id, rate)
    const allowed = window.used < rate.limit
    if (allowed) window.used++
    return this.#verdict(window, rate, rate.limit, allowed)
  }

  peek(id: string, rate: Rate): RateVerdict {
    const now = this.#clock.now()
    const present = this.#windows.get(id)
    const window = present && now < present.endsAt ? present : { used: 0, endsAt: now + rate.windowMs, shared: false }
    return this.#verdict(window, rate, rate.limit, window.used < rate.limit)
  }

  /**
   * Counts a call that a common counter will judge; `verdict` holds where it cannot, because it is not connected or
   * was lost in this window: then only this process's share of the limit is given out.
   */
  takeShare(id: string, rate: Rate, share: number, connected: boolean): { shared: boolean; verdict: RateVerdict } {
    const window = this.#window(id, rate)
    if (!connected) window.shared = true
    const allowed = window.used < share
    if (allowed || !window.shared) window.used++
    return { shared: window.shared, verdict: this.#verdict(window, rate, share, allowed) }
  }

  /** The verdict on a call that was counted already, when the common counter was lost while it was being asked. */
  judgeTaken(id: string, rate: Rate, share: number): RateVerdict {
    const window = this.#window(id, rate)
    return this.#verdict(window, rate, share, window.used <= share)
  }

  /** From now on every running window is held to this process's share. */
  shareAll(): void {
    for (const window of this.#windows.values()) window.shared = true
  }

  giveBack(id: string): void {
    const window = this.#windows.get(id)
    if (window && window.used > 0) window.used--
  }

  #window(id: string, rate: Rate): Window {
    const now = this.#clock.now()
    const present = this.#windows.get(id)
    if (present && now < present.endsAt) return present
    const window = { used: 0, endsAt: now + rate.windowMs, shared: false }
    this.#windows.set(id, window)
    if (this.#windows.size > this.#sweepAt) this.#sweep(now)
    return window
  }

  #verdict({ used, endsAt }: Window, { limit }: Rate, atMost: number, allowed: boolean): RateVerdict {
    return {
      allowed,
      limit,
      remaining: Math.max(0, atMost - used),
      resetSeconds: Math.max(1, Math.ceil((endsAt - this.#clock.now()) / 1_000)),
    }
  }

  /** Forgets ended windows, at a size that doubles with the live ones so that the cost stays constant per call. */
  #sweep(now: number): void {
    for (const [id, window] of this.#windows) if (now >= window.endsAt) this.#windows.delete(id)
    this.#sweepAt = Math.max(sweepAbove, this.#windows.size * 2)
  }
}
