import { dayMs } from '@vitae/provider'

export { dayMs }

/** The source of time. Tests pass their own; nothing else in the service asks the system for the time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Monotonic milliseconds, for durations inside this process: setting the system clock does not change it. */
  elapsed(): number
}

// Whole milliseconds: sums of fractions are slightly off, and seconds are rounded up.
export const systemClock: Clock = { now: () => Date.now(), elapsed: () => Math.floor(performance.now()) }

/** The maximum difference between clocks of nodes and providers, and the longest way of an answer to the store. */
export const clocksDifferMs = 5 * 60_000

/** Whether a stored time was written by a clock that was ahead, so that the real time is unknown. */
export function isAhead(at: number, now: number): boolean {
  return at > now + clocksDifferMs
}

/** The age of a stored time, never negative; null if it was written by a clock that was ahead. */
export function ageOf(at: number, now: number): number | null {
  return isAhead(at, now) ? null : Math.max(0, now - at)
}

/** The UTC calendar month of a time, `2026-11`: ceilings and budgets are counted per month. */
export function utcMonth(at: number): string {
  return new Date(at).toISOString().slice(0, 7)
}

/** The start of a UTC month. */
export function startOfMonth(month: string): number {
  return Date.parse(`${month}-01T00:00:00Z`)
}

/** The following month. */
export function monthAfter(month: string): string {
  return utcMonth(startOfMonth(month) + 32 * dayMs)
}

/** The UTC day of a time, `2026-11-14`. */
export function utcDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** Parses a day or a time (UTC unless it has a zone); NaN for anything else, including a day that does not exist. */
export function parseMoment(text: string): number {
  const [, year, month, day, time = '', zone = ''] =
    /^(\d{4})-(\d{2})-(\d{2})(?:T([\d:.]+)(Z|[+-]\d{2}:\d{2})?)?$/.exec(text) ?? []
  const date = `${year}-${month}-${day}`
  const midnight = Date.parse(date)
  if (Number.isNaN(midnight) || utcDay(midnight) !== date) return NaN
  return time === '' ? midnight : Date.parse(`${date}T${time}${zone || 'Z'}`)
}

/** A time in the format of all answers and events: ISO 8601, UTC; null for null. */
export function isoTime<At extends number | null>(at: At): At extends number ? string : string | null
export function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
