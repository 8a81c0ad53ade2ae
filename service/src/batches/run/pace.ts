import { setTimeout as sleep } from 'node:timers/promises'

/** The cost of a row for the scheduler. Most of its work comes after its turn. */
export const rowMs = {
  /** A row that the store answers: 400 a second beside busy callers, 720 on an idle node. */
  stored: 0.5,
  /** The same for a match, which searches the store. */
  matched: 1,
  /** Besides, for a fetch: 50 rows a second beside busy callers, 90 on an idle node. */
  fetched: 3.6,
}
/** The time per fetch on an otherwise idle node. */
const usualFetchMs = 12
/** The time per row that the store answers. */
const usualStoredMs = 1.4
/** How long rows wait for each other: steps that are taken together share messages, transactions and syncs. */
const beatMs = 25

/** The minimum duration of a batch on one node, by its rows that are fetched and those that the store answers. */
export function secondsOfBatch({ rows, fetches }: { rows: number; fetches: number }): number {
  return Math.ceil((fetches * usualFetchMs + (rows - fetches) * usualStoredMs) / 1_000)
}

/** Lets the rows of this node take their steps together. */
export class Beat {
  #next: Promise<void> | null = null

  /** Resolves a moment later for all that wait. */
  together(): Promise<void> {
    this.#next ??= sleep(beatMs).then(() => {
      this.#next = null
    })
    return this.#next
  }
}
