import { LRUCache } from 'lru-cache'
import type { Clock } from '../../foundation/clock.ts'

/** Records whose upstream failed a moment ago: while a stale copy serves, it is not asked again until the time is over. */
export class Cooldowns {
  readonly #until = new LRUCache<string, number>({ maxSize: 100_000, sizeCalculation: () => 1 })
  readonly #clock: Clock
  readonly #lengthMs: number

  constructor(clock: Clock, lengthMs: number) {
    this.#clock = clock
    this.#lengthMs = lengthMs
  }

  start(name: string): void {
    if (this.#lengthMs > 0) this.#until.set(name, this.#clock.elapsed() + this.#lengthMs)
  }

  isCooling(name: string): boolean {
    const until = this.#until.get(name)
    return until !== undefined && this.#clock.elapsed() < until
  }

  end(name: string): void {
    this.#until.delete(name)
  }
}
