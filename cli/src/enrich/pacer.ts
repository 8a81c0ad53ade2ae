import type { RateLimit } from '@vitae/client'

/** A call that was let out: its window, and its number in that window. */
export interface Turn {
  window: number
  order: number
}

/**
 * Keeps under the rate limit by what the answers' headers say, instead of running into 429s. Until the first answer
 * only one call is let out; from then on each window has its budget, which every call takes from as it leaves. The
 * answers only ever lower it: others may share the key.
 */
export class Pacer {
  #budget = 1
  #limit: number | null = null
  /** Null until an answer of this window says it. */
  #endsAt: number | null = null
  #window = 0
  #started = 0
  #inFlight = 0
  readonly #onWait: (until: number) => void

  /** `onWait` hears that all calls wait, and until when. */
  constructor(onWait: (until: number) => void = () => undefined) {
    this.#onWait = onWait
  }

  /** Resolves when a call may be made. */
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

  /** A call has ended; its headers, where an answer came, say how much of the window is left. */
  end({ window, order }: Turn, rate: RateLimit | null): void {
    this.#inFlight--
    if (window !== this.#window) return
    if (rate === null) {
      // Nothing was learnt: another call must find out.
      if (this.#endsAt === null) this.#budget++
      return
    }
    const { limit, remaining, resetSeconds } = rate
    if (limit === null || remaining === null || resetSeconds === null) {
      // Something in between drops the headers: there is nothing to go by, and the client still heeds each 429.
      if (this.#limit === null) this.#budget = Infinity
      return
    }
    // Seconds are rounded up and answers travel, so each estimate is late and the earliest is the best.
    this.#endsAt = Math.min(this.#endsAt ?? Infinity, Date.now() + resetSeconds * 1_000)
    // Calls that left after this one may not be in its count yet.
    const left = remaining - (this.#started - order)
    this.#budget = this.#limit === null ? left : Math.min(this.#budget, left)
    this.#limit = limit
  }

  #openNewWindow(): void {
    if (this.#limit === null || this.#endsAt === null || Date.now() < this.#endsAt) return
    // What is still under way may be counted in the new window; at least one call must go, or nothing is learnt.
    this.#budget = Math.max(1, this.#limit - this.#inFlight)
    this.#endsAt = null
    this.#window++
    this.#started = 0
  }
}

/** Too short to be worth cancelling. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
