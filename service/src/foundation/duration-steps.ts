import { sql } from 'kysely'

/**
 * A column `duration_ms` in steps of at most ten percent. Counts per step can be added up over slices of a long time,
 * which percentiles themselves cannot.
 */
export const durationStep = sql<number | null>`case
  when duration_ms < 100 then cast(duration_ms as integer)
  when duration_ms < 1000 then cast(duration_ms / 10 as integer) * 10
  when duration_ms < 10000 then cast(duration_ms / 100 as integer) * 100
  else cast(duration_ms / 1000 as integer) * 1000 end`

/** How many calls took how long. */
export class Durations {
  readonly #counts = new Map<number, number>()
  #total = 0

  add(step: number | null, count: number): void {
    if (step === null) return
    this.#counts.set(step, (this.#counts.get(step) ?? 0) + count)
    this.#total += count
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
