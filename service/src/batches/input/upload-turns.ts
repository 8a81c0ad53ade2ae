import { performance } from 'node:perf_hooks'
import { FairLine } from '../../foundation/environments/fair-line.ts'
import { Failure } from '../../foundation/failure.ts'

/** The maximum number of concurrent uploads per lane; more would take as long and use more memory. */
const uploadsOfLane = 8
/** The share of the event loop that all uploads use together. */
const share = 1 / 5
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
 * Keeps uploads from slowing down other calls. They are read in short steps, one at a time, taking turns between lanes.
 * After each step the event loop is left to others for four times as long as the step took, on any machine.
 */
export class UploadTurns {
  readonly #steps = new FairLine()
  /** The uploads of each lane: the number in progress, and those that wait. */
  readonly #uploads = new Map<number, { read: number; waiting: (() => void)[] }>()
  #isServing = false
  #isStopped = false
  #beganAt = 0
  /** When the pause after the last step ends. */
  #nextAt = 0

  /**
   * Waits until an upload may be read, and reads it. Null if too many of its lane already wait, or if the connection
   * was lost.
   */
  async read<Result>(
    lane: number,
    { waitingAtMost, isLost }: { waitingAtMost: number; isLost: () => boolean },
    read: () => Promise<Result>,
  ): Promise<Result | null> {
    const uploads = this.#uploads.get(lane) ?? { read: 0, waiting: [] }
    this.#uploads.set(lane, uploads)
    if (uploads.waiting.length >= waitingAtMost) return null
    if (uploads.read < uploadsOfLane) uploads.read++
    else await new Promise<void>((resolve) => uploads.waiting.push(resolve))
    try {
      if (isLost()) return null
      await this.next(lane)
      if (isLost()) return null
      this.#nextAt += beginMs / share
      return await read()
    } finally {
      const next = uploads.waiting.shift()
      if (next) next()
      else if (--uploads.read === 0) this.#uploads.delete(lane)
    }
  }

  /** Resolves when an upload may take its next step, which lasts until it waits for something or for its next turn. */
  async next(lane: number): Promise<void> {
    if (this.#isStopped) throw stopping
    const turn = this.#steps.join(lane)
    if (!this.#isServing) this.#serve()
    return turn
  }

  /** Ends every upload at its next step, because the service stops and an upload may take an hour. */
  stop(): void {
    this.#isStopped = true
    for (const { waiting } of this.#uploads.values()) for (const resolve of waiting.splice(0)) resolve()
  }

  #serve(): void {
    this.#isServing = true
    const restMs = this.#nextAt - performance.now()
    if (restMs >= 1) return void setTimeout(() => this.#serve(), restMs)
    // The step runs between these two callbacks: everything that it makes due completes before the next immediate.
    setImmediate(() => {
      this.#beganAt = performance.now()
      this.#steps.advance()
    })
    setImmediate(() => {
      const tookMs = performance.now() - this.#beganAt
      this.#nextAt = Math.max(this.#nextAt, this.#beganAt) + tookMs / share
      this.#isServing = false
      if (!this.#steps.isEmpty) this.#serve()
    })
  }
}
