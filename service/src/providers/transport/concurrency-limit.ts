/** The queue is full: no further call may wait. */
export class SlotsFull extends Error {}

/** A queue: the calls of an environment, by its number, or the rows of one batch, by its id. */
export type Line = number | string

/** The slots that one queue holds and waits for. */
interface Share {
  taken: number
  queue: Set<() => void>
}

/**
 * Limits concurrent calls and shares the slots among environments and batches. One of them holds at most three times as
 * many slots as are free. So however many of its calls hang, another's next call finds a free slot at once. A freed
 * slot goes to the queue with the fewest slots, and there to the call that waited longest. The waiting places are
 * shared the same way: one queue fills at most half of them.
 */
export class ConcurrencySlots {
  readonly #count: number
  readonly #queueAtMost: number
  readonly #shares = new Map<Line, Share>()
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

  /** Whether a call in this queue would be refused. */
  isFull(line: Line): boolean {
    const share = this.#shares.get(line)
    if (this.#mayEnter(share)) return false
    return (share?.queue.size ?? 0) >= this.#queueAtMost - this.#waiting
  }

  /** Takes a slot, which `leave` returns. Waiting ends with the signal's reason, or with `tooLate`. */
  async enter(line: Line, signal: AbortSignal, limitMs: number, tooLate: () => Error): Promise<void> {
    if (this.isFull(line)) throw new SlotsFull()
    const share = this.#shareOf(line)
    if (this.#mayEnter(share)) this.#take(share)
    else await this.#wait(line, share, signal, limitMs, tooLate)
  }

  /** Returns a slot and admits waiting calls. */
  leave(line: Line): void {
    this.#shareOf(line).taken--
    this.#taken--
    this.#forget(line)
    for (let next = this.#next(); next; next = this.#next()) next()
  }

  #mayEnter(share: Share | undefined): boolean {
    const free = this.#count - this.#taken
    const taken = share?.taken ?? 0
    return free > 0 && (taken === 0 || taken < 3 * free)
  }

  /** The longest waiting call of the queue with the fewest slots, among those that may enter. */
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

  #shareOf(line: Line): Share {
    const known = this.#shares.get(line)
    if (known) return known
    const share: Share = { taken: 0, queue: new Set() }
    this.#shares.set(line, share)
    return share
  }

  #forget(line: Line): void {
    const share = this.#shares.get(line)
    if (share && share.taken === 0 && share.queue.size === 0) this.#shares.delete(line)
  }

  #wait(line: Line, share: Share, signal: AbortSignal, limitMs: number, tooLate: () => Error): Promise<void> {
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
        this.#forget(line)
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason is the caller's own
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
