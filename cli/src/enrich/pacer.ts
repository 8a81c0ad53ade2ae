import type { RateLimit } from '@vitae/client'

/** A started call: its window, and its number within the window. */
export interface Turn {
  window: number
  order: number
}

/**
 * Stays below the rate limit by reading response headers, instead of causing 429s. Until the first response, only one
 * call runs. Afterwards each call takes from the window's budget. Responses can only lower the budget, because other
 * clients may share the key.
 */
export class Pacer {
  #budget = 1
  #limit: number | null = null
  /** Null until a response of this window reports it. */
  #endsAt: number | null = null
  #window = 0
  #started = 0
  #inFlight = 0
  readonly #onWait: (until: number) => void

  /** Calls `onWait` with the end of the wait when all calls have to wait. */
  constructor(onWait: (until: number) => void = () => undefined) {
    this.#onWait = onWait
  }

  /** Resolves when a call may start. */
  async start(signal: AbortSignal): Promise<Turn> {
    for (;;) {
      signal.throwIfAborted()
      this.#openNewWindow()
      if (this.#budget > 0) break
      if (this.#endsAt !== null) this.#onWait(this.#endsAt)
      const waitMs = this.#endsAt === null ? 10 : Math.min(this.#endsAt - Date.now(), 250)
      await pause(Math.max(5, waitMs))
    }
    this.#budget--
    this.#inFlight++
    return { window: this.#window, order: ++this.#started }
  }

  /** Reports the end of a call, with the rate limit in its headers, if it got a response. */
  end({ window, order }: Turn, rate: RateLimit | null): void {
    this.#inFlight--
    if (window !== this.#window) return
    if (rate === null) {
      // The call returned no rate limit, so allow another one to find it out.
      if (this.#endsAt === null) this.#budget++
      return
    }
    const { limit, remaining, resetSeconds } = rate
    if (limit === null || remaining === null || resetSeconds === null) {
      // A proxy removes the headers, so pacing is impossible. The client still obeys each 429.
      if (this.#limit === null) this.#budget = Infinity
      return
    }
    // Each estimate is late, because seconds are rounded up and responses take time. So the earliest is best.
    this.#endsAt = Math.min(this.#endsAt ?? Infinity, Date.now() + resetSeconds * 1_000)
    // The server may not have counted calls that started after this one.
    const left = remaining - (this.#started - order)
    this.#budget = this.#limit === null ? left : Math.min(this.#budget, left)
    this.#limit = limit
  }

  #openNewWindow(): void {
    if (this.#limit === null || this.#endsAt === null || Date.now() < this.#endsAt) return
    // Calls in progress may count in the new window. At least one call must run, to learn its limit.
    this.#budget = Math.max(1, this.#limit - this.#inFlight)
    this.#endsAt = null
    this.#window++
    this.#started = 0
  }
}

/** Waits for a short time, without cancellation. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
