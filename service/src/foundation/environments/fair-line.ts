/** Who waits, by environment: environments take turns, and those of one go in the order in which they came. */
export class FairLine {
  /** The next turn is that of the first one. */
  readonly #lines = new Map<number, (() => void)[]>()

  get isEmpty(): boolean {
    return this.#lines.size === 0
  }

  /** Resolves when it is the turn of this one. */
  join(environmentId: number): Promise<void> {
    return new Promise((resolve) => {
      const line = this.#lines.get(environmentId)
      if (line) line.push(resolve)
      else this.#lines.set(environmentId, [resolve])
    })
  }

  /** Gives the next one its turn. */
  advance(): void {
    const [[environmentId, line] = [0, []]] = this.#lines
    this.#lines.delete(environmentId)
    line.shift()?.()
    if (line.length > 0) this.#lines.set(environmentId, line)
  }
}
