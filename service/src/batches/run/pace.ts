import { setTimeout as pause } from 'node:timers/promises'
import { Turns } from '../../providers/transport/turns.ts'

/** A fetch takes some milliseconds of the process; 50 of them a second leave most of it to callers who wait. */
const fetchEveryMs = 20

/**
 * When the next row of this node's batches may begin: one in each turn of the event loop while the store answers them, and
 * one in 20 ms while providers are asked. Waiting for a provider costs nothing, so this does not depend on how slow it is.
 */
export class Pace {
  readonly #turns = new Turns(1)
  #last: Promise<void> = Promise.resolve()
  #isFetching = true

  next(): Promise<void> {
    this.#last = this.#last.then(() => (this.#isFetching ? pause(fetchEveryMs) : this.#turns.next()))
    return this.#last
  }

  /** A row has ended; what it needed is the best guess for those that follow. */
  ended({ asked }: { asked: boolean }): void {
    this.#isFetching = asked
  }
}
