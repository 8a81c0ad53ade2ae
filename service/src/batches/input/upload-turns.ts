import { performance } from 'node:perf_hooks'
import { FairLine } from '../../foundation/environments/fair-line.ts'
import { Failure } from '../../foundation/failure.ts'

/** Uploads of one lane that are read at once; more would take no less time, and more memory. */
const uploadsOfLane = 8
/** Uploads of all environments together have this share of the event loop. */
const share = 1 / 5
/** What an upload costs before its first row and after its last: its connection and three short writes. */
const beginMs = 2

const stopping = new Failure('overloaded', {
  detail: 'The service is stopping, and nothing of the upload was kept. Send the batch again.',
  retryAfterSeconds: 1,
})

/** The uploads of live keys and those of test keys of an environment wait for their own kind only. */
export function laneOf({ environmentId, mode }: { environmentId: number; mode: 'live' | 'test' }): number {
  return 2 * environmentId + (mode === 'test' ? 1 : 0)
}

/**
 * Keeps uploads from slowing down the calls of others. They are read in short steps, one at a time and in turns of lanes,
 * and after each step the event loop belongs to others for four times as long as the step took, on any machine.
 */
export class UploadTurns {
  readonly #steps = new FairLine()
  /** The uploads of each lane: how many are read, and those that wait until one of them ends. */
  readonly #uploads = new Map<number, { read: number; waiting: (() => void)[] }>()
  #isServing = false
  #isStopped = false
  #beganAt = 0
  /** When the time after the last step is over. */
  #nextAt = 0

  /** Waits until an upload may be read, and reads it. Null if too many of its lane wait already, or if it was lost meanwhile. */
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

  /** Resolves when an upload may take its next step: what it does until it waits for something, or for its next turn. */
  async next(lane: number): Promise<void> {
    if (this.#isStopped) throw stopping
    const turn = this.#steps.join(lane)
    if (!this.#isServing) this.#serve()
    return turn
  }

  /** Ends every upload at its next step: the service stops, and an upload may take an hour. */
  stop(): void {
    this.#isStopped = true
    for (const { waiting } of this.#uploads.values()) for (const resolve of waiting.splice(0)) resolve()
  }

  #serve(): void {
    this.#isServing = true
    const restMs = this.#nextAt - performance.now()
    if (restMs >= 1) return void setTimeout(() => this.#serve(), restMs)
    // The step is taken between these two: what has become due runs to its end before the next immediate.
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
