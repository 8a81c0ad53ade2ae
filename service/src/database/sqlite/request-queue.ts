/** Reads take some hundredths of a millisecond each, so a turn of the event loop stays short. */
const perTurn = 16

interface Options<Request> {
  /** Begins with it. */
  run(request: Request): void
  /** It goes before all that wait. */
  isUrgent(request: Request): boolean
}

/**
 * Begins with what the store's thread is asked for, a few requests in each turn of the event loop, in their order. What is
 * urgent waits for none of them: hundreds of fetches may read at once, and a stored answer is to be paid for meanwhile.
 */
export class RequestQueue<Request> {
  readonly #options: Options<Request>
  #waiting: Request[] = []
  #room = perTurn

  constructor(options: Options<Request>) {
    this.#options = options
  }

  add(requests: readonly Request[]): void {
    const { run, isUrgent } = this.#options
    for (const request of requests) if (isUrgent(request)) run(request)
    for (const request of requests) if (!isUrgent(request)) this.#waiting.push(request)
    this.#begin()
  }

  #begin(): void {
    if (this.#waiting.length === 0 || this.#room === 0) return
    if (this.#room === perTurn) setImmediate(this.#nextTurn)
    const some = this.#waiting.splice(0, this.#room)
    this.#room -= some.length
    for (const request of some) this.#options.run(request)
  }

  readonly #nextTurn = (): void => {
    this.#room = perTurn
    this.#begin()
  }
}
