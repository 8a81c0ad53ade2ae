import type { Clock } from '../../foundation/clock.ts'
import type { Rate } from '../../foundation/rate.ts'

/** A rate as a limiter applies it. */
export interface LimitedRate extends Rate {
  /** Without Redis a node takes its part at once, although the running window may have used the limit. */
  opensAtOnce?: boolean
}

/** The state of a caller's window after this call. */
export interface RateVerdict {
  allowed: boolean
  limit: number
  remaining: number
  /** Whole seconds until the window ends; a call after exactly that wait succeeds. */
  resetSeconds: number
}

/** Counts calls. If processes share the counter, the verdict is a promise. */
export interface RateLimiter {
  take(id: string, rate: LimitedRate): RateVerdict | Promise<RateVerdict>
  /** The state of the window, without counting. */
  peek(id: string, rate: LimitedRate): RateVerdict | Promise<RateVerdict>
  /** Returns one count that turned out not to be used. */
  giveBack(id: string, rate: LimitedRate): void | Promise<void>
  /** Resolves when all waiting calls have their verdict; null if none waits. */
  counting?(): Promise<unknown> | null
  /** Whether limits are divided between nodes, and how long this node has known every window: longer ones are closed. */
  state?(): { isDivided: boolean; knownForMs: number }
}

interface Window {
  used: number
  endsAt: number
}

const sweepAbove = 10_000

/** Windows by id. Ended windows are removed when there are many. */
export class Windows<W extends Window> {
  readonly #windows = new Map<string, W>()
  #sweepAt = sweepAbove

  /** The running window. */
  running(id: string, now: number): W | undefined {
    const window = this.#windows.get(id)
    return window && now < window.endsAt ? window : undefined
  }

  begin(id: string, window: W, now: number): W {
    // The order of the map is the order in which windows began.
    this.#windows.delete(id)
    this.#windows.set(id, window)
    if (this.#windows.size > this.#sweepAt) this.#sweep(now)
    return window
  }

  /** Drops the oldest window if there are more than this; true if it was still running. */
  dropOldest(atMost: number, now: number): boolean {
    if (this.#windows.size <= atMost) return false
    const [oldest] = this.#windows
    if (oldest) this.#windows.delete(oldest[0])
    return oldest !== undefined && now < oldest[1].endsAt
  }

  /** Sweeps when the number of live windows has doubled, so that the cost per call stays constant. */
  #sweep(now: number): void {
    for (const [id, window] of this.#windows) if (now >= window.endsAt) this.#windows.delete(id)
    this.#sweepAt = Math.max(sweepAbove, this.#windows.size * 2)
  }
}

/** Whole seconds, at least one: after that wait the window has ended. */
export function resetSecondsOf(endsInMs: number): number {
  return Math.max(1, Math.ceil(endsInMs / 1_000))
}

/** The verdict on a call, from the use of the window and its limit `atMost`. */
export function verdictOn(
  window: Window,
  { limit }: Rate,
  { atMost, allowed, now }: { atMost: number; allowed: boolean; now: number },
): RateVerdict {
  return {
    allowed,
    limit,
    remaining: Math.max(0, atMost - window.used),
    resetSeconds: resetSecondsOf(window.endsAt - now),
  }
}

/**
 * Exact counting in this process: a fixed window that starts with its first call. Refused calls do not extend the
 * window. It is synchronous, because it is on the hot path.
 */
export class LocalRateLimiter implements RateLimiter {
  readonly #windows = new Windows<Window>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  take(id: string, rate: Rate): RateVerdict {
    const now = this.#clock.elapsed()
    const window = this.#windows.running(id, now) ?? this.#windows.begin(id, fresh(rate, now), now)
    const allowed = window.used < rate.limit
    if (allowed) window.used++
    return verdictOn(window, rate, { atMost: rate.limit, allowed, now })
  }

  peek(id: string, rate: Rate): RateVerdict {
    const now = this.#clock.elapsed()
    const window = this.#windows.running(id, now) ?? fresh(rate, now)
    return verdictOn(window, rate, { atMost: rate.limit, allowed: window.used < rate.limit, now })
  }

  giveBack(id: string): void {
    const window = this.#windows.running(id, this.#clock.elapsed())
    if (window && window.used > 0) window.used--
  }
}

function fresh({ windowMs }: Rate, now: number): Window {
  return { used: 0, endsAt: now + windowMs }
}
