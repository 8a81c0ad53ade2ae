import { Failure } from '../../foundation/failure.ts'

/** Refuses free work of one environment beyond a number at the same time, so that it takes no turn of others. */
export class AtOnce {
  readonly #most: number
  readonly #running = new Map<number, number>()

  constructor(most: number) {
    this.#most = most
  }

  async run<Result>(lane: number, work: () => Promise<Result>): Promise<Result> {
    const before = this.#running.get(lane) ?? 0
    if (before >= this.#most) throw new Failure('overloaded', { retryAfterSeconds: 1 })
    this.#running.set(lane, before + 1)
    try {
      return await work()
    } finally {
      const after = (this.#running.get(lane) ?? 1) - 1
      if (after > 0) this.#running.set(lane, after)
      else this.#running.delete(lane)
    }
  }
}
