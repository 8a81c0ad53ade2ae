import { setTimeout as pause } from 'node:timers/promises'
import type { RateLimit } from '@vitae/client'

/**
 * Keeps under the rate limit by what the answers' headers say, instead of running into 429s. Until the first answer
 * only one call is let out; then as many as the window has left beyond those in flight.
 */
export class Pacer {
  #remaining = 1
  #endsAt = Infinity
  #limit: number | null = null
  #inFlight = 0

  /** Resolves when a call may be made. */
  async start(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      this.#openNewWindow()
      if (this.#remaining - this.#inFlight > 0) break
      const waitMs = this.#endsAt === Infinity ? 10 : Math.min(this.#endsAt - Date.now(), 250)
      await pause(Math.max(5, waitMs), undefined, { signal })
    }
    this.#inFlight++
  }

  /** A call has ended; its headers, where there were any, say how the window stands. */
  end(rate: RateLimit | null): void {
    this.#inFlight--
    if (!rate || rate.limit === null || rate.remaining === null || rate.resetSeconds === null) return
    const endsAt = Date.now() + rate.resetSeconds * 1_000
    // Answers come out of order: within one window the lowest count is the newest, give or take the rounding of seconds.
    const sameWindow = this.#limit !== null && Math.abs(endsAt - this.#endsAt) <= 1_500
    this.#remaining = sameWindow
      ? Math.min(this.#remaining, rate.remaining + this.#inFlight)
      : rate.remaining + this.#inFlight
    this.#endsAt = sameWindow ? Math.max(this.#endsAt, endsAt) : endsAt
    this.#limit = rate.limit
  }

  #openNewWindow(): void {
    if (this.#limit === null || Date.now() < this.#endsAt) return
    // A window begins with its first call, so one goes ahead and the others follow its answer.
    this.#remaining = 1 + this.#inFlight
    this.#endsAt = Infinity
    this.#limit = null
  }
}
