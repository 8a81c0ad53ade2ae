/** A distribution of call durations. */
export class Durations {
  readonly #counts = new Map<number, number>()
  #total = 0

  add(step: number | null, count: number): void {
    if (step === null) return
    this.#counts.set(step, (this.#counts.get(step) ?? 0) + count)
    this.#total += count
  }

  /** Adds the `text` of another distribution; several may be joined by spaces. */
  addText(text: string): void {
    // Parsed by hand: a monthly report reads tens of thousands of these.
    let [step, number] = [0, 0]
    for (let at = 0; at <= text.length; at++) {
      const code = text.charCodeAt(at)
      if (code >= 48 && code <= 57) number = number * 10 + code - 48
      else {
        if (code === 58) step = number
        else if (number > 0) this.add(step, number)
        number = 0
      }
    }
  }

  /** The distribution as text, `step:count step:count`. */
  get text(): string {
    return [...this.#counts].map(([step, count]) => `${step}:${count}`).join(' ')
  }

  /** The duration that this share of the calls did not exceed; null if none was measured. */
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
