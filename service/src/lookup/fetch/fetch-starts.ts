import { Turns } from '../../providers/transport/turns.ts'
import { SingleFlight } from './single-flight.ts'

/** From the hold to the provider's connection, a fetch that begins takes about half a millisecond of the event loop. */
const startsPerTurn = 2

/**
 * Where a lookup leaves the way of stored answers: a few of them in each turn of the event loop, in the order in which
 * they came, so that hits are read and answered between them. Callers of one record go together and share its fetch.
 */
export class FetchStarts {
  readonly #turns = new Turns(startsPerTurn)
  readonly #waiting = new SingleFlight<void>()

  /** Resolves when a fetch under this name may begin; at once where no other begins in this turn. */
  next(name: string): Promise<void> {
    return this.#waiting.join(name, () => this.#turns.next(), null).result
  }
}
