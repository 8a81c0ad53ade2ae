import type { Looked } from './look-up.ts'
import { unwrittenAtMost } from './job-file.ts'

const rememberedAtMost = 10_000

/**
 * Detects rows that were paid for but lost in a crash. Their replay is free, but the job has spent those credits, so
 * `--max-credits` and the credits column must include them. A repeat of a written row must not count again.
 */
export class LostPayments {
  readonly #written = new Set<string>()
  readonly #price: number
  readonly #lastRow: number

  /** `rows` are written; the rows right after them may have been in progress. */
  constructor({ price, rows, concurrency }: { price: number; rows: number; concurrency: number }) {
    this.#price = price
    this.#lastRow = rows + unwrittenAtMost + concurrency
  }

  /** Notes a row that the output already has. */
  written(id: string): void {
    this.#written.add(id)
    const oldest = this.#written.values().next().value
    if (this.#written.size > rememberedAtMost && oldest !== undefined) this.#written.delete(oldest)
  }

  /** The credits that the job paid for a row, before a crash or now. */
  creditsOf(row: number, id: string, looked: Looked): number {
    const wasLost = looked.replayed && row <= this.#lastRow && !this.#written.has(id)
    return wasLost ? this.#price : looked.credits
  }
}
