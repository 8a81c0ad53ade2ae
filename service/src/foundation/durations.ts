/** How many calls took how long. */
export class Durations {
  readonly #counts = new Map<number, number>()
  #total = 0

  add(step: number | null, count: number): void {
    if (step === null) return
    this.#counts.set(step, (this.#counts.get(step) ?? 0) + count)
    this.#total += count
  }

  /** Adds what `text` of another one says; several may be joined by spaces. */
  addText(text: string): void {
    for (const part of text.split(' ')) {
      const [step, count] = part.split(':')
      if (step && count) this.add(Number(step), Number(count))
    }
  }

  /** All of it, `step:count step:count`. */
  get text(): string {
    return [...this.#counts].map(([step, count]) => `${step}:${count}`).join(' ')
  }

  /** The duration that this share of the calls did not exceed; null where none was measured. */
  percentile(share: number): number | null {
    const rank = Math.ceil(this.#total * share)
    let seen = 0
    for (const step of [...this.#counts.keys()].toSorted((a, b) => a - b)) {
      seen += this.#counts.get(step) ?? 0
      if (seen >= rank) return step
    }
    return null
  }
}
