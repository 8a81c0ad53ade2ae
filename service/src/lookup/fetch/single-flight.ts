/** Concurrent identical needs share one piece of work; what it ends in, also a failure, is shared only by those who waited. */
export class SingleFlight<Result, Notes = null> {
  readonly #flights = new Map<string, { result: Promise<Result>; notes: Notes }>()

  /**
   * Joins the work under this name, or starts it. The work belongs to nobody: no caller's going away ends it. What is noted of
   * it is that of the caller who started it.
   */
  join(
    name: string,
    work: () => Promise<Result>,
    notes: Notes,
  ): { result: Promise<Result>; leads: boolean; notes: Notes } {
    const running = this.#flights.get(name)
    if (running) return { ...running, leads: false }
    const flight = { result: work().finally(() => this.#flights.delete(name)), notes }
    this.#flights.set(name, flight)
    return { ...flight, leads: true }
  }

  get size(): number {
    return this.#flights.size
  }
}
