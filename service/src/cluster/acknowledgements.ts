/** Counts who has heard a piece of news. */
export class Acknowledgements {
  readonly #waiting = new Map<number, { missing: number; resolve(heard: boolean): void }>()
  readonly #withinMs: number
  #last = 0

  constructor(withinMs: number) {
    this.#withinMs = withinMs
  }

  came(number: number): void {
    const waiting = this.#waiting.get(number)
    if (waiting && --waiting.missing <= 0) waiting.resolve(true)
  }

  /** Sends something and waits until so many have said that they heard it; false when they have not, after a while. */
  async expect(count: number, send: (number: number) => Promise<boolean>): Promise<boolean> {
    const number = ++this.#last
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#waiting.set(number, { missing: count, resolve })
    const timer = setTimeout(resolve, this.#withinMs, false)
    if (!(await send(number))) resolve(false)
    const heard = await promise
    clearTimeout(timer)
    this.#waiting.delete(number)
    return heard
  }
}
