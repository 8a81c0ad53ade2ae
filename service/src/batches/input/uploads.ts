import { Failure } from '../../foundation/failure.ts'
import type { Scheduler } from '../../foundation/pacing/scheduler.ts'

/** The cost of an upload besides its rows: its connection and three short writes. */
const beginMs = 2

const stopping = new Failure('overloaded', {
  detail: 'The service is shutting down and discarded the upload. Send the batch again.',
  retryAfterSeconds: 1,
})

/** The lane of an upload: live and test keys of an environment do not wait for each other. */
export function laneOf({ environmentId, mode }: { environmentId: number; mode: 'live' | 'test' }): number {
  return 2 * environmentId + (mode === 'test' ? 1 : 0)
}

/**
 * The uploads in progress. They are read in short steps, which the scheduler orders, and a lane has a limited number of
 * them in memory.
 */
export class Uploads {
  readonly #scheduler: Scheduler
  readonly #atOnce: number
  /** The uploads of each lane: the number in progress, and those that wait. */
  readonly #lanes = new Map<number, { read: number; waiting: (() => void)[] }>()
  #isStopped = false

  constructor(scheduler: Scheduler, atOnce: number) {
    this.#scheduler = scheduler
    this.#atOnce = atOnce
  }

  /**
   * Waits until an upload may be read, and reads it. Null if too many of its lane already wait, or if the connection
   * was lost.
   */
  async read<Result>(
    lane: number,
    { waitingAtMost, isLost }: { waitingAtMost: number; isLost: () => boolean },
    read: () => Promise<Result>,
  ): Promise<Result | null> {
    const uploads = this.#lanes.get(lane) ?? { read: 0, waiting: [] }
    this.#lanes.set(lane, uploads)
    if (uploads.read < this.#atOnce) uploads.read++
    else if (uploads.waiting.length >= waitingAtMost) return null
    else await new Promise<void>((resolve) => uploads.waiting.push(resolve))
    try {
      if (isLost()) return null
      await this.next(lane, () => (isLost() ? 0 : beginMs))
      return isLost() ? null : await read()
    } finally {
      const next = uploads.waiting.shift()
      if (next) next()
      else if (--uploads.read === 0) this.#lanes.delete(lane)
    }
  }

  /** Resolves when an upload may take its next step, which lasts until it waits for something or for its next turn. */
  async next(lane: number, costMs?: () => number): Promise<void> {
    if (this.#isStopped) throw stopping
    await this.#scheduler.turn(lane, costMs)
  }

  /** Ends every upload at its next step, because the service stops and an upload may take an hour. */
  stop(): void {
    this.#isStopped = true
    for (const { waiting } of this.#lanes.values()) for (const resolve of waiting.splice(0)) resolve()
  }
}
