import type { Clock } from '../../foundation/clock.ts'
import type { Rate } from '../../foundation/rate.ts'
import { resetSecondsOf, verdictOn, Windows, type RateVerdict } from './rate-limiter.ts'
import type { OwnWindow, ReportedWindow } from './rate-reports.ts'
import type { Counted } from './redis-counter.ts'

/** This node's position among the nodes that share a limit. */
export interface Place {
  nodes: number
  rank: number
}

/** The result of calls that were counted together: the first `granted` calls are allowed. */
export interface Taken {
  granted: number
  /** The remainder of the limit, or of this node's share. */
  left: number
  resetSeconds: number
}

interface SharedWindow {
  used: number
  /** The last count of all nodes from the shared counter. */
  seen: number
  endsAt: number
  /** Set once the limit has been divided: from then on only this node's share of the remainder is granted. */
  division: { usedBefore: number; usedByAll: number; place: Place } | null
}

/**
 * The calls that this node has allowed per window, and its share of a limit while there is no shared counter. The
 * shares of all nodes add up to exactly what was left of the limit.
 */
export class NodeShare {
  readonly #windows = new Windows<SharedWindow>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Counts calls that the shared counter is about to decide on. Call the returned function with its answer, or with
   * null if absent.
   */
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

  /** Counts as many calls as this node's share allows. */
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

  /** The calls that this node has allowed in its running windows. */
  report(): OwnWindow[] {
    const now = this.#clock.elapsed()
    const running = this.#windows.all(now)
    return [...running].map(([id, { used, seen, endsAt }]) => ({ id, used, seen, remainingMs: endsAt - now }))
  }

  /** Divides the remainder of every running window, based on the reports of all nodes. */
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
    // It was counted in Redis, and the other nodes' use is unknown, so nothing more can be granted safely.
    window.division ??= { usedBefore: window.used, usedByAll: rate.limit, place }
    return window
  }

  /** The shared window is authoritative: if it differs from ours, ours has ended. */
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
