/** Size of a burst that is answered without delay; after it, one response per step. */
const atOnce = 100
const waitAtMostMs = 1_000
/** Maximum number of delayed responses. Further ones are sent at once, because each waiting one takes memory. */
const waitingAtMost = 5_000
const idsAtMost = 10_000

/**
 * Delays refused and free calls, so that a flood of them does not slow down paid calls. A connection reads nothing
 * until its response is sent. So a client that repeats at once is held to this rate, and costs a few percent of a core.
 */
export class AnswerPace {
  readonly #stepMs: number
  /** When the last response of each key or address was due. */
  readonly #dueAt = new Map<string, number>()
  #waiting = 0

  constructor(stepMs: number) {
    this.#stepMs = stepMs
  }

  /** The delay of the next response to this key or address. */
  delayMs(id: string, now: number): number {
    const before = this.#dueAt.get(id)
    const due = Math.max(before ?? -Infinity, now - atOnce * this.#stepMs) + this.#stepMs
    if (before === undefined && this.#dueAt.size >= idsAtMost) this.#forgetIdle(now)
    this.#dueAt.set(id, Math.min(due, now + waitAtMostMs))
    return Math.min(Math.max(0, due - now), waitAtMostMs)
  }

  /** Resolves when the response may be sent; null if it may be sent now. */
  wait(id: string): Promise<void> | null {
    const delay = this.delayMs(id, performance.now())
    if (delay === 0 || this.#waiting >= waitingAtMost) return null
    this.#waiting++
    return new Promise((resolve) => {
      setTimeout(() => {
        this.#waiting--
        resolve()
      }, delay)
    })
  }

  #forgetIdle(now: number): void {
    for (const [id, due] of this.#dueAt) if (due <= now - atOnce * this.#stepMs) this.#dueAt.delete(id)
  }
}
