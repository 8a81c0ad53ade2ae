import { dayMs } from '@vitae/provider'

export { dayMs }

/** Where time comes from. Tests pass their own; nothing else in the service asks the system for the time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds since some moment, for durations inside this process: setting the system's clock does not change it. */
  elapsed(): number
}

// Whole milliseconds: sums and differences of fractions are off by a little, and seconds are rounded up.
export const systemClock: Clock = { now: () => Date.now(), elapsed: () => Math.floor(performance.now()) }

/** How far clocks of nodes and providers may differ, and how long an answer may be on its way to the store. */
export const clocksDifferMs = 5 * 60_000

/** Whether a stored moment was written by a clock that was ahead: nobody knows when it really was. */
export function isAhead(at: number, now: number): boolean {
  return at > now + clocksDifferMs
}

/** How long ago a stored moment was, never less than nothing; null where a clock that was ahead has written it. */
export function ageOf(at: number, now: number): number | null {
  return isAhead(at, now) ? null : Math.max(0, now - at)
}

/** The UTC calendar month of a time, `2026-11`: ceilings and budgets are counted in these. */
export function utcMonth(at: number): string {
  return new Date(at).toISOString().slice(0, 7)
}

/** When a UTC month begins. */
export function startOfMonth(month: string): number {
  return Date.parse(`${month}-01T00:00:00Z`)
}

/** The month after one. */
export function monthAfter(month: string): string {
  return utcMonth(startOfMonth(month) + 32 * dayMs)
}

/** The UTC day of a time, `2026-11-14`. */
export function utcDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** Reads a day, or a time (in UTC where it names no zone); NaN for anything else, and for a day that no month has. */
export function parseMoment(text: string): number {
  const [, year, month, day, time = '', zone = ''] =
    /^(\d{4})-(\d{2})-(\d{2})(?:T([\d:.]+)(Z|[+-]\d{2}:\d{2})?)?$/.exec(text) ?? []
  const date = `${year}-${month}-${day}`
  const midnight = Date.parse(date)
  if (Number.isNaN(midnight) || utcDay(midnight) !== date) return NaN
  return time === '' ? midnight : Date.parse(`${date}T${time}${zone || 'Z'}`)
}

/** A time as every answer and event writes it: ISO 8601, UTC; null where there is none. */
export function isoTime<At extends number | null>(at: At): At extends number ? string : string | null
export function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
