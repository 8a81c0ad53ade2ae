/** So many in a row are answered at once, and then one in each step. */
const atOnce = 100
const waitAtMostMs = 1_000
/** Beyond this they are answered at once: what waits takes memory. */
const waitingAtMost = 5_000
const idsAtMost = 10_000

/**
 * Keeps a flood of calls that cost nothing, refused or free, from slowing down the calls of others. A connection reads nothing while its
 * answer is due, so whoever calls again at once after each one is served at this pace, and costs some percent of a core.
 */
export class AnswerPace {
  readonly #stepMs: number
  /** When the last one of each key or address was due. */
  readonly #dueAt = new Map<string, number>()
  #waiting = 0

  constructor(stepMs: number) {
    this.#stepMs = stepMs
  }

  /** How long the answer to this key or address has to wait. */
  delayMs(id: string, now: number): number {
    const before = this.#dueAt.get(id)
    const due = Math.max(before ?? -Infinity, now - atOnce * this.#stepMs) + this.#stepMs
    if (before === undefined && this.#dueAt.size >= idsAtMost) this.#forgetIdle(now)
    this.#dueAt.set(id, Math.min(due, now + waitAtMostMs))
    return Math.min(Math.max(0, due - now), waitAtMostMs)
  }

  /** Resolves when the answer may leave; null where that is at once. */
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
