import type { Clock } from '../foundation/clock.ts'

/** A time that the database has said, and when it was asked and heard by this process's monotonic clock. */
export interface Observed {
  databaseAt: number
  sentAt: number
  receivedAt: number
}

/** Monotonic clocks drift by less than this. */
const driftPerMs = 0.0005

/**
 * The database's clock, as this process knows it: what the database said, carried on by the monotonic clock. Setting the clock of
 * this machine does not change it, so nodes with different clocks agree on every moment that they store or compare.
 */
export class DatabaseClock implements Clock {
  readonly #machine: Clock
  /** What has to be added to the monotonic clock lies between these. */
  #low = -Infinity
  #high = Infinity
  #observedAt = 0

  constructor(machine: Clock) {
    this.#machine = machine
  }

  now(): number {
    // Until the database was asked.
    if (this.#low === -Infinity) return this.#machine.now()
    return Math.floor(performance.now() + (this.#low + this.#high) / 2)
  }

  elapsed(): number {
    return this.#machine.elapsed()
  }

  /** By how much the clock of this machine is ahead of the database's; negative where it is behind. */
  get machineAheadMs(): number {
    return this.#machine.now() - this.now()
  }

  /** The answer came between sending and receiving. A quick one narrows what is known; one that contradicts it means that the clock was set. */
  observe({ databaseAt, sentAt, receivedAt }: Observed): void {
    const drift = (receivedAt - this.#observedAt) * driftPerMs
    // The database gives whole milliseconds.
    const [low, high] = [databaseAt - receivedAt, databaseAt + 1 - sentAt]
    const [knownLow, knownHigh] = [this.#low - drift, this.#high + drift]
    const agrees = low <= knownHigh && high >= knownLow
    this.#low = agrees ? Math.max(low, knownLow) : low
    this.#high = agrees ? Math.min(high, knownHigh) : high
    this.#observedAt = receivedAt
  }
}

/** A difference that operators are told of. Less is the ordinary error of a network's time. */
const toldFromMs = 2_000

export interface ClockSkew {
  /** In words, without a full stop. */
  detail: string
  /** It is off by more than a hold lasts, so this node takes no paid calls. */
  stopsPaidCalls: boolean
}

/** How the clock of this machine differs from the database's; null where it does not matter. */
export function skewOf(aheadMs: number | null, holdMs: number): ClockSkew | null {
  if (aheadMs === null || Math.abs(aheadMs) <= toldFromMs) return null
  const seconds = Math.round(Math.abs(aheadMs) / 1_000)
  const stopsPaidCalls = Math.abs(aheadMs) > holdMs
  const words = `The clock of this node is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's`
  return { stopsPaidCalls, detail: stopsPaidCalls ? `${words}: it answers paid calls with 503` : words }
}
