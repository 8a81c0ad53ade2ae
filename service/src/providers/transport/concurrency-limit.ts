/** Nobody may wait any more: as many as were allowed to do so already. */
export class PlacesFull extends Error {}

/** So many may be inside at once, and so many may wait for a place, in the order in which they came. */
export class Places {
  readonly #count: number
  readonly #queueAtMost: number
  readonly #queue = new Set<() => void>()
  #taken = 0

  constructor(count: number, queueAtMost: number) {
    this.#count = count
    this.#queueAtMost = queueAtMost
  }

  get taken(): number {
    return this.#taken
  }

  get waiting(): number {
    return this.#queue.size
  }

  get full(): boolean {
    return this.#taken >= this.#count && this.#queue.size >= this.#queueAtMost
  }

  /** Takes a place, which `leave` gives back. Waiting for one ends with the signal's reason, or with `tooLate`. */
  async enter(signal: AbortSignal, limitMs: number, tooLate: () => Error): Promise<void> {
    if (this.full) throw new PlacesFull()
    if (this.#taken >= this.#count) await this.#wait(signal, limitMs, tooLate)
    else this.#taken++
  }

  /** The place goes to whoever has waited longest. */
  leave(): void {
    const [next] = this.#queue
    if (next) next()
    else this.#taken--
  }

  #wait(signal: AbortSignal, limitMs: number, tooLate: () => Error): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        this.#queue.delete(called)
        clearTimeout(timer)
        signal.removeEventListener('abort', left)
      }
      const called = () => {
        stop()
        resolve()
      }
      const left = () => {
        stop()
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason is the caller's own, passed on as it is
        reject(signal.reason)
      }
      const timer = setTimeout(() => {
        stop()
        reject(tooLate())
      }, limitMs)
      signal.addEventListener('abort', left, { once: true })
      this.#queue.add(called)
    })
  }
}
