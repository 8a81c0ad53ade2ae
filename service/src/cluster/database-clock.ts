import type { Clock } from '../foundation/clock.ts'

/** A time from the database, and the monotonic times at which it was asked for and received. */
export interface Observed {
  databaseAt: number
  sentAt: number
  receivedAt: number
}

/** Monotonic clocks drift by less than this. */
const driftPerMs = 0.0005

/**
 * The database's clock in this process: its last time, advanced by the monotonic clock. Setting this machine's clock
 * does not change it, so nodes with different clocks agree on every time that they store or compare.
 */
export class DatabaseClock implements Clock {
  readonly #machine: Clock
  /** The bounds of the offset to the monotonic clock. */
  #low = -Infinity
  #high = Infinity
  #observedAt = 0

  constructor(machine: Clock) {
    this.#machine = machine
  }

  now(): number {
    // Before the database was asked.
    if (this.#low === -Infinity) return this.#machine.now()
    return Math.floor(performance.now() + (this.#low + this.#high) / 2)
  }

  elapsed(): number {
    return this.#machine.elapsed()
  }

  /** How far this machine's clock is ahead of the database's; negative if it is behind. */
  get machineAheadMs(): number {
    return this.#machine.now() - this.now()
  }

  /**
   * The database read its clock between sending and receiving. A quick answer narrows the bounds; a contradicting one
   * means that the clock was set.
   */
  observe({ databaseAt, sentAt, receivedAt }: Observed): void {
    const drift = (receivedAt - this.#observedAt) * driftPerMs
    // The database returns whole milliseconds.
    const [low, high] = [databaseAt - receivedAt, databaseAt + 1 - sentAt]
    const [knownLow, knownHigh] = [this.#low - drift, this.#high + drift]
    const agrees = low <= knownHigh && high >= knownLow
    this.#low = agrees ? Math.max(low, knownLow) : low
    this.#high = agrees ? Math.min(high, knownHigh) : high
    this.#observedAt = receivedAt
  }
}

/** Differences from here on are reported to operators. Smaller ones are normal for network time. */
const reportedFromMs = 2_000

export interface ClockSkew {
  /** In words, without a full stop. */
  detail: string
  /** The difference exceeds the length of a hold, so this node accepts no paid calls. */
  stopsPaidCalls: boolean
}

/** How this machine's clock differs from the database's; null if it does not matter. */
export function skewOf(aheadMs: number | null, holdMs: number): ClockSkew | null {
  if (aheadMs === null || Math.abs(aheadMs) <= reportedFromMs) return null
  const seconds = Math.round(Math.abs(aheadMs) / 1_000)
  const stopsPaidCalls = Math.abs(aheadMs) > holdMs
  const words = `The clock of this node is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's`
  return { stopsPaidCalls, detail: stopsPaidCalls ? `${words}: it answers paid calls with 503` : words }
}
