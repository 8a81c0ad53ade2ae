/**
 * Lets a few steps of fetches into each turn of the event loop, in the order in which they came. However many fetches
 * begin or end at once, the calls that the store answers are read and answered between them.
 */
export class Turns {
  readonly #perTurn: number
  readonly #waiting: (() => void)[] = []
  #left: number

  constructor(perTurn: number) {
    this.#perTurn = perTurn
    this.#left = perTurn
  }

  /** Resolves when one more step has room; at once where nobody else asks in this turn. */
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
