import type { Clock } from '../../foundation/clock.ts'
import type { Rate } from '../../foundation/rate.ts'
import { resetSecondsOf, verdictOn, Windows, type RateVerdict } from './rate-limiter.ts'
import type { OwnWindow, ReportedWindow } from './rate-reports.ts'
import type { Counted } from './redis-counter.ts'

/** This node's place among those that a limit is divided between. */
export interface Place {
  nodes: number
  rank: number
}

/** What calls that were counted together got: the first ones of them, in their order. */
export interface Taken {
  granted: number
  /** Of the limit, or of this node's part, after them. */
  left: number
  resetSeconds: number
}

interface SharedWindow {
  used: number
  /** What the common counter last said of all nodes. */
  seen: number
  endsAt: number
  /** Set once the limit has been divided: from then on only this node's part of what was left is given out. */
  division: { usedBefore: number; usedByAll: number; place: Place } | null
}

/**
 * What this node has let through, window by window, and its part of a limit while there is no common counter. The parts
 * of all nodes add up to what was left of the limit, no more and no less.
 */
export class NodeShare {
  readonly #windows = new Windows<SharedWindow>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts calls that the common counter is about to decide on; the returned function is told what it said, null where nothing. */
  count(id: string, rate: Rate, calls: number): (said: Counted | null) => void {
    const now = this.#clock.elapsed()
    const counted = this.#windows.running(id, now) ?? this.#begin(id, now + rate.windowMs, now)
    counted.used += calls
    return (said) => {
      const granted = said?.granted ?? 0
      counted.used -= calls - granted
      if (!said) return
      const window = granted > 0 ? this.#align(id, counted, granted, said.endsInMs) : counted
      window.seen = Math.max(window.seen, said.used)
    }
  }

  /** Counts calls against this node's part, as many as there is room for. */
  take(id: string, rate: Rate, place: Place, calls: number): Taken {
    const window = this.#divided(id, rate, place)
    const room = Math.max(0, partOf(window, rate) - window.used)
    const granted = Math.min(calls, room)
    window.used += granted
    return { granted, left: room - granted, resetSeconds: resetSecondsOf(window.endsAt - this.#clock.elapsed()) }
  }

  peek(id: string, rate: Rate, place: Place): RateVerdict {
    const window = this.#divided(id, rate, place)
    const atMost = partOf(window, rate)
    return verdictOn(window, rate, { atMost, allowed: window.used < atMost, now: this.#clock.elapsed() })
  }

  giveBack(id: string, calls: number): void {
    const window = this.#windows.running(id, this.#clock.elapsed())
    if (window) window.used = Math.max(0, window.used - calls)
  }

  /** What this node has let through in its running windows. */
  report(): OwnWindow[] {
    const now = this.#clock.elapsed()
    const running = this.#windows.all(now)
    return [...running].map(([id, { used, seen, endsAt }]) => ({ id, used, seen, remainingMs: endsAt - now }))
  }

  /** Divides what is left of every running window, by what all nodes have reported. */
  divide(reports: readonly ReportedWindow[], place: Place): void {
    const now = this.#clock.elapsed()
    for (const { id, used, remainingMs } of reports) {
      const endsAt = now + remainingMs
      const window = this.#windows.running(id, now) ?? this.#begin(id, endsAt, now)
      window.endsAt = Math.max(window.endsAt, endsAt)
      window.division = { usedBefore: window.used, usedByAll: used, place }
    }
  }

  #begin(id: string, endsAt: number, now: number): SharedWindow {
    return this.#windows.begin(id, { used: 0, seen: 0, endsAt, division: null }, now)
  }

  #divided(id: string, rate: Rate, place: Place): SharedWindow {
    const now = this.#clock.elapsed()
    const window = this.#windows.running(id, now)
    if (!window) {
      const begun = this.#begin(id, now + rate.windowMs, now)
      begun.division = { usedBefore: 0, usedByAll: 0, place }
      return begun
    }
    // Counted in common, and nobody has said how much the others took: nothing more of it can be given out safely.
    window.division ??= { usedBefore: window.used, usedByAll: rate.limit, place }
    return window
  }

  /** The common window is the true one: where it is another than ours, ours ended with it. */
  #align(id: string, counted: SharedWindow, calls: number, endsInMs: number): SharedWindow {
    const now = this.#clock.elapsed()
    const endsAt = now + endsInMs
    const present = this.#windows.running(id, now)
    const isSame = present !== undefined && Math.abs(present.endsAt - endsAt) < 1_000
    if (isSame && present === counted) return counted
    const window = isSame ? present : this.#begin(id, endsAt, now)
    counted.used -= calls
    window.used += calls
    return window
  }
}

function partOf({ division }: SharedWindow, { limit }: Rate): number {
  if (!division) return 0
  const { usedBefore, usedByAll, place } = division
  const left = Math.max(0, limit - usedByAll)
  return usedBefore + Math.floor(left / place.nodes) + (place.rank < left % place.nodes ? 1 : 0)
}
