import { Turns } from '../../providers/transport/turns.ts'
import { SingleFlight } from './single-flight.ts'

/** A starting fetch occupies the event loop for about 0.5 ms, from the hold to the provider's connection. */
const startsPerTurn = 2

/**
 * Limits how many fetches start in one turn of the event loop, in order of arrival, so that cache hits are answered in
 * between. Callers of one record start together and share its fetch.
 */
export class FetchStarts {
  readonly #turns = new Turns(startsPerTurn)
  readonly #waiting = new SingleFlight<void>()

  /** Resolves when the fetch under this name may begin; immediately if no other fetch starts in this turn. */
  next(name: string): Promise<void> {
    return this.#waiting.join(name, () => this.#turns.next(), null).result
  }
}
