import type { FetchEnd } from '../../cluster/peers.ts'
import type { Clock } from '../../foundation/clock.ts'
import type { Failure } from '../../foundation/failure.ts'
import { FetchNotes } from '../call-trace.ts'

/** An end that calls may still share. */
export interface RecentEnd {
  end: Exclude<FetchEnd, { end: 'given_up' }> | Failure
  notes: FetchNotes
}

interface Kept extends RecentEnd {
  number: number
  at: number
}

/** A call reaches its fetch within milliseconds of its start. */
const sharedMs = 5_000
const mostKept = 2_000

/**
 * How fetches ended: for calls that wait for one of another process, and for calls that began before a fetch of the same
 * question ended and come to it afterwards. Without the second, callers who ask at once would ask the providers again.
 */
export class FetchOutcomes {
  readonly #clock: Clock
  readonly #waiting = new Map<string, Set<(end: FetchEnd) => void>>()
  readonly #recent = new Map<string, Kept>()
  #ended = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** How many fetches have ended: what a call notes at its start, before it reads what is known. */
  get mark(): number {
    return this.#ended
  }

  /** The end of a fetch that ended after the mark; null if there is none. */
  since(name: string, mark: number): RecentEnd | null {
    const kept = this.#recent.get(name)
    return kept && kept.number > mark && this.#clock.elapsed() - kept.at <= sharedMs ? kept : null
  }

  /** A fetch of this process has ended. */
  ended(name: string, end: FetchEnd | Failure, notes: FetchNotes): void {
    // A later call never reuses an outage: it asks again.
    if ('end' in end && (end.end === 'given_up' || end.end === 'failed')) return
    this.#recent.delete(name)
    this.#recent.set(name, { end, notes: withoutBodies(notes), number: ++this.#ended, at: this.#clock.elapsed() })
    const [oldest] = this.#recent.size > mostKept ? this.#recent.keys() : []
    if (oldest !== undefined) this.#recent.delete(oldest)
  }

  /** Starts to listen for the end of a fetch; call it before the claim is tried, or the end may be missed. */
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

  /** A fetch of another process has ended. */
  heard(name: string, end: FetchEnd): void {
    this.ended(name, end, new FetchNotes(''))
    for (const resolve of this.#waiting.get(name) ?? []) resolve(end)
  }
}

/** What receipts say of a fetch. The answers themselves are in the archive. */
function withoutBodies(notes: FetchNotes): FetchNotes {
  const slim = new FetchNotes(notes.requestId)
  const body = new Uint8Array()
  slim.attempts = notes.attempts.map((one) => ({ ...one, answer: one.answer && { ...one.answer, body }, answers: [] }))
  slim.answeredAt = notes.answeredAt
  slim.isSuppressed = notes.isSuppressed
  return slim
}
