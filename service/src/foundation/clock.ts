/** Where time comes from. Tests pass their own; nothing else in the service asks the system for the time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds since some moment, for durations inside this process: setting the system's clock does not change it. */
  elapsed(): number
}

// Whole milliseconds: sums and differences of fractions are off by a little, and seconds are rounded up.
export const systemClock: Clock = { now: () => Date.now(), elapsed: () => Math.floor(performance.now()) }

/** The UTC calendar month of a time, `2026-11`: ceilings and budgets are counted in these. */
export function utcMonth(at: number): string {
  return new Date(at).toISOString().slice(0, 7)
}

/** The UTC day of a time, `2026-11-14`. */
export function utcDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
