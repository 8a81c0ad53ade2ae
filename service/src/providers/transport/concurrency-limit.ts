/** Nobody may wait any more: as many as were allowed to do so already. */
export class PlacesFull extends Error {}

/** What one environment holds and waits for. */
interface Share {
  taken: number
  queue: Set<() => void>
}

/**
 * So many may be inside at once, shared out among environments. One environment holds at most three times as many
 * places as are free, so that however many of its calls hang, the next one finds a free place at once. A place that is
 * given back goes to the environment that holds the fewest, inside it to the call that waited longest. The queue is
 * shared out in the same way: one environment fills at most half of it.
 */
export class Places {
  readonly #count: number
  readonly #queueAtMost: number
  readonly #shares = new Map<number, Share>()
  #taken = 0
  #waiting = 0

  constructor(count: number, queueAtMost: number) {
    this.#count = count
    this.#queueAtMost = queueAtMost
  }

  get taken(): number {
    return this.#taken
  }

  get waiting(): number {
    return this.#waiting
  }

  /** Whether a call of this environment would be refused. */
  isFull(account: number): boolean {
    const share = this.#shares.get(account)
    if (this.#mayEnter(share)) return false
    return (share?.queue.size ?? 0) >= this.#queueAtMost - this.#waiting
  }

  /** Takes a place, which `leave` gives back. Waiting for one ends with the signal's reason, or with `tooLate`. */
  async enter(account: number, signal: AbortSignal, limitMs: number, tooLate: () => Error): Promise<void> {
    if (this.isFull(account)) throw new PlacesFull()
    const share = this.#shareOf(account)
    if (this.#mayEnter(share)) this.#take(share)
    else await this.#wait(account, share, signal, limitMs, tooLate)
  }

  /** Gives a place back, and lets in whoever may enter now. */
  leave(account: number): void {
    this.#shareOf(account).taken--
    this.#taken--
    this.#forget(account)
    for (let next = this.#next(); next; next = this.#next()) next()
  }

  #mayEnter(share: Share | undefined): boolean {
    const free = this.#count - this.#taken
    const taken = share?.taken ?? 0
    return free > 0 && (taken === 0 || taken < 3 * free)
  }

  /** The longest waiting call of the environment that holds the fewest places, of those that may enter. */
  #next(): (() => void) | undefined {
    let least: Share | undefined
    for (const share of this.#shares.values()) {
      if (share.queue.size > 0 && this.#mayEnter(share) && (!least || share.taken < least.taken)) least = share
    }
    return least?.queue.values().next().value
  }

  #take(share: Share): void {
    share.taken++
    this.#taken++
  }

  #shareOf(account: number): Share {
    const known = this.#shares.get(account)
    if (known) return known
    const share: Share = { taken: 0, queue: new Set() }
    this.#shares.set(account, share)
    return share
  }

  #forget(account: number): void {
    const share = this.#shares.get(account)
    if (share && share.taken === 0 && share.queue.size === 0) this.#shares.delete(account)
  }

  #wait(account: number, share: Share, signal: AbortSignal, limitMs: number, tooLate: () => Error): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        if (share.queue.delete(called)) this.#waiting--
        clearTimeout(timer)
        signal.removeEventListener('abort', left)
      }
      const called = () => {
        stop()
        this.#take(share)
        resolve()
      }
      const giveUp = (reason: unknown) => {
        stop()
        this.#forget(account)
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason is the caller's own, passed on as it is
        reject(reason)
      }
      const left = () => giveUp(signal.reason)
      const timer = setTimeout(() => giveUp(tooLate()), limitMs)
      signal.addEventListener('abort', left, { once: true })
      share.queue.add(called)
      this.#waiting++
    })
  }
}
