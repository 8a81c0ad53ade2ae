import type { Clock } from '../../foundation/clock.ts'
import type { Rate } from '../../foundation/rate.ts'
import { resetSecondsOf, Windows, type LimitedRate } from './rate-limiter.ts'

/** The result of calls that were counted together: the first `granted` calls are allowed. */
export interface Taken {
  granted: number
  /** The remainder of the limit, or of this node's part. */
  left: number
  resetSeconds: number
}

/** This node's part of a limit, and the time until which it may use it in a window that begins now. */
interface Part {
  calls: number
  openUntil: number
  /** Redis has counted running windows and decides too, so none is closed. */
  isCounted: boolean
}

interface KnownWindow {
  used: number
  endsAt: number
  /** Until then this node grants its part; after that, and in a window of the shared counter, nothing. */
  openUntil: number
}

const windowsAtMost = 100_000

/**
 * The running windows of all nodes, for the time without the shared counter: its windows stay closed until they end. In
 * a new window a node grants its part of the limit.
 */
export class KnownWindows {
  readonly #windows = new Windows<KnownWindow>()
  readonly #clock: Clock
  /** The number of times at which this node may have missed a window. */
  missed = 0
  /** Windows that began before this time may be unknown. */
  #completeSince: number
  /** After an absence, only windows shorter than the absence may be unknown. */
  #away = { until: -Infinity, shorterThanMs: 0 }

  constructor(clock: Clock) {
    this.#clock = clock
    this.#completeSince = clock.elapsed()
  }

  get knownForMs(): number {
    return Math.max(0, this.#clock.elapsed() - this.#completeSince)
  }

  /** Windows that began until now, or a little later, may be unknown: any key's window counts as running. */
  miss(inMs = 0): void {
    this.missed++
    this.#completeSince = Math.max(this.#completeSince, this.#clock.elapsed() + inMs)
  }

  /** The others may have taken over this node's part of windows that are shorter than its absence. */
  returnAfter(awayMs: number, inMs: number): void {
    this.#away = {
      until: this.#clock.elapsed() + inMs,
      shorterThanMs: Math.max(this.#away.shorterThanMs, awayMs + inMs),
    }
  }

  /** Nobody else has counted anything. */
  missNothing(): void {
    this.#completeSince = -Infinity
  }

  /** Notes a window of the shared counter. */
  note(id: string, endsInMs: number, openUntil: number): void {
    const now = this.#clock.elapsed()
    const endsAt = now + endsInMs
    const known = this.#windows.running(id, now)
    if (known) known.endsAt = Math.max(known.endsAt, endsAt)
    else this.#begin(id, { used: 0, endsAt, openUntil })
  }

  /** Counts as many calls as this node's part allows. */
  take(id: string, rate: LimitedRate, part: Part, calls: number): Taken {
    const { window, room } = this.#look(id, rate, part)
    const granted = Math.min(calls, room)
    if (granted > 0 && window.used === 0) this.#begin(id, window)
    window.used += granted
    return { granted, left: room - granted, resetSeconds: resetSecondsOf(window.endsAt - this.#clock.elapsed()) }
  }

  giveBack(id: string, calls: number): void {
    const window = this.#windows.running(id, this.#clock.elapsed())
    if (window) window.used = Math.max(0, window.used - calls)
  }

  #look(id: string, rate: LimitedRate, part: Part): { window: KnownWindow; room: number } {
    const now = this.#clock.elapsed()
    const running = this.#windows.running(id, now)
    const unknownUntil = this.#unknownUntil(rate)
    const isClosed = running ? now >= running.openUntil : now < unknownUntil
    if (isClosed && !rate.opensAtOnce) {
      const window = running ?? { used: 0, endsAt: part.isCounted ? now + rate.windowMs : unknownUntil, openUntil: now }
      return { window, room: part.isCounted ? Math.max(0, part.calls - window.used) : 0 }
    }
    const fresh = { used: 0, endsAt: now + rate.windowMs, openUntil: part.openUntil }
    const window = isClosed ? fresh : (running ?? fresh)
    return { window, room: Math.max(0, part.calls - window.used) }
  }

  #unknownUntil({ windowMs }: Rate): number {
    const { until, shorterThanMs } = this.#away
    return Math.max(this.#completeSince, windowMs < shorterThanMs ? until : -Infinity) + windowMs
  }

  #begin(id: string, window: KnownWindow): void {
    const now = this.#clock.elapsed()
    this.#windows.begin(id, window, now)
    if (this.#windows.dropOldest(windowsAtMost, now)) this.miss()
  }
}
