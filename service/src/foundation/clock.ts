/** Where time comes from. Tests pass their own; nothing else in the service asks the system for the time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }
