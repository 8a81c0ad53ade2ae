/** Identical concurrent requests share one piece of work. Only those that waited share its result, even a failure. */
export class SingleFlight<Result, Notes = null> {
  readonly #flights = new Map<string, { result: Promise<Result>; notes: Notes }>()

  /**
   * Joins the work under this name, or starts it. A caller that disconnects does not end the work. `notes` are those of
   * the caller that started it.
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
