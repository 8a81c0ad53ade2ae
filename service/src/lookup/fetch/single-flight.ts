/** Concurrent identical needs share one piece of work; what it ends in, also a failure, is shared only by those who waited. */
export class SingleFlight<Result> {
  readonly #flights = new Map<string, Promise<Result>>()

  /** Joins the work under this name, or starts it. The work belongs to nobody: no caller's going away ends it. */
  join(name: string, work: () => Promise<Result>): { result: Promise<Result>; leads: boolean } {
    const running = this.#flights.get(name)
    if (running) return { result: running, leads: false }
    const result = work().finally(() => this.#flights.delete(name))
    this.#flights.set(name, result)
    return { result, leads: true }
  }

  get size(): number {
    return this.#flights.size
  }
}
