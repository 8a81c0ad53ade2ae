/** A fair queue: environments take turns, and the entries of each keep their order. */
export class FairLine {
  /** The first environment has the next turn. */
  readonly #lines = new Map<number, (() => void)[]>()

  get isEmpty(): boolean {
    return this.#lines.size === 0
  }

  /** Resolves when it is this entry's turn. */
  join(environmentId: number): Promise<void> {
    return new Promise((resolve) => {
      const line = this.#lines.get(environmentId)
      if (line) line.push(resolve)
      else this.#lines.set(environmentId, [resolve])
    })
  }

  /** Admits the next entry. */
  advance(): void {
    const [[environmentId, line] = [0, []]] = this.#lines
    this.#lines.delete(environmentId)
    line.shift()?.()
    if (line.length > 0) this.#lines.set(environmentId, line)
  }
}
