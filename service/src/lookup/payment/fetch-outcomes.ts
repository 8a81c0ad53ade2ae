import type { FetchEnd } from '../../cluster/peers.ts'
import type { Clock } from '../../foundation/clock.ts'
import type { Failure } from '../../foundation/failure.ts'
import { FetchNotes } from '../asked/call-trace.ts'

/** The result of a recent fetch that calls may still share. */
export interface RecentEnd {
  end: Exclude<FetchEnd, { end: 'given_up' }> | Failure
  notes: FetchNotes
}

interface Kept extends RecentEnd {
  number: number
  at: number
}

/** A call reaches its fetch within milliseconds of its start, so 5 s is ample. */
const sharedMs = 5_000
const mostKept = 2_000

/**
 * Remembers how fetches ended. Calls that wait for another process read it, and so do calls that began before a fetch
 * of the same question ended. Without the latter, callers that ask at the same moment would ask the providers twice.
 */
export class FetchOutcomes {
  readonly #clock: Clock
  readonly #waiting = new Map<string, Set<(end: FetchEnd) => void>>()
  readonly #recent = new Map<string, Kept>()
  #ended = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The number of fetches that have ended. A call reads it at its start, before it reads the store. */
  get mark(): number {
    return this.#ended
  }

  /** The result of a fetch that ended after the mark; null if there is no such fetch. */
  since(name: string, mark: number): RecentEnd | null {
    const kept = this.#recent.get(name)
    return kept && kept.number > mark && this.#clock.elapsed() - kept.at <= sharedMs ? kept : null
  }

  /** Records that a fetch of this process has ended. */
  ended(name: string, end: FetchEnd | Failure, notes: FetchNotes): void {
    // Outages are never shared with later calls: each of them asks again.
    if ('end' in end && (end.end === 'given_up' || end.end === 'failed')) return
    this.#recent.delete(name)
    this.#recent.set(name, { end, notes: withoutBodies(notes), number: ++this.#ended, at: this.#clock.elapsed() })
    const [oldest] = this.#recent.size > mostKept ? this.#recent.keys() : []
    if (oldest !== undefined) this.#recent.delete(oldest)
  }

  /** Starts to listen for the end of a fetch. Call it before you try the claim, or you may miss the end. */
  expect(name: string): { end: Promise<FetchEnd>; stop(): void } {
    const { promise, resolve } = Promise.withResolvers<FetchEnd>()
    const waiting = this.#waiting.get(name) ?? new Set()
    this.#waiting.set(name, waiting.add(resolve))
    const stop = () => {
      waiting.delete(resolve)
      if (waiting.size === 0) this.#waiting.delete(name)
    }
    return { end: promise, stop }
  }

  /** Records that a fetch of another process has ended. */
  heard(name: string, end: FetchEnd): void {
    this.ended(name, end, new FetchNotes(''))
    for (const resolve of this.#waiting.get(name) ?? []) resolve(end)
  }
}

/** The facts that receipts need. The answers themselves are in the archive. */
function withoutBodies(notes: FetchNotes): FetchNotes {
  const slim = new FetchNotes(notes.requestId)
  const body = new Uint8Array()
  slim.attempts = notes.attempts.map((one) => ({ ...one, answer: one.answer && { ...one.answer, body }, answers: [] }))
  slim.answeredAt = notes.answeredAt
  slim.isSuppressed = notes.isSuppressed
  return slim
}
