import type { Looked } from './look-up.ts'
import { unwrittenAtMost } from './job-file.ts'

const rememberedAtMost = 10_000

/**
 * A crash may lose rows that were paid for. Their repeats are free replays, but the job has spent those credits, and
 * `--max-credits` and the credits column must know of them. This tells such a replay from the repeat of a written row.
 */
export class LostPayments {
  readonly #written = new Set<string>()
  readonly #price: number
  readonly #lastRow: number

  /** `rows` are written; those that may have been under way follow at once. */
  constructor({ price, rows, concurrency }: { price: number; rows: number; concurrency: number }) {
    this.#price = price
    this.#lastRow = rows + unwrittenAtMost + concurrency
  }

  /** A row that the output has already. */
  written(id: string): void {
    this.#written.add(id)
    const oldest = this.#written.values().next().value
    if (this.#written.size > rememberedAtMost && oldest !== undefined) this.#written.delete(oldest)
  }

  /** What the job has paid for a row, before a crash or now. */
  creditsOf(row: number, id: string, looked: Looked): number {
    const wasLost = looked.replayed && row <= this.#lastRow && !this.#written.has(id)
    return wasLost ? this.#price : looked.credits
  }
}
