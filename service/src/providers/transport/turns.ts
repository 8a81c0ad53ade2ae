/**
 * Limits the steps of fetches per turn of the event loop, in order of arrival. However many fetches begin or end at
 * once, calls that the store answers are handled in between.
 */
export class Turns {
  readonly #perTurn: number
  readonly #waiting: (() => void)[] = []
  #left: number

  constructor(perTurn: number) {
    this.#perTurn = perTurn
    this.#left = perTurn
  }

  /** Resolves when another step may run; immediately if no other step asked in this turn. */
  next(): Promise<void> {
    if (this.#left === this.#perTurn) setImmediate(this.#turn)
    if (this.#left === 0) return new Promise((resolve) => this.#waiting.push(resolve))
    this.#left -= 1
    return Promise.resolve()
  }

  readonly #turn = () => {
    const admitted = this.#waiting.splice(0, this.#perTurn)
    this.#left = this.#perTurn - admitted.length
    if (admitted.length > 0) setImmediate(this.#turn)
    for (const resolve of admitted) resolve()
  }
}
