export type ParsedDate = {
  year: number
  month: number | null
  day: number | null
  precision: 'year' | 'month' | 'day'
  /** The first day it can mean, at 00:00 UTC. */
  earliest: Date
  /** The last day it can mean, at 00:00 UTC. */
  latest: Date
}

type Parts = { year: number; month?: number | null; day?: number | null }

/** Reads a date of either record, or its `iso` text, at its given precision; null if it is not a date. */
export function parsePartialDate(value: string | Parts | null | undefined): ParsedDate | null {
  const parts = typeof value === 'string' ? readIso(value) : value
  if (!parts || !isWithin(parts.year, 1, 9999)) return null
  const { year } = parts
  const month = parts.month ?? null
  // A day without a month means nothing.
  const day = month === null ? null : (parts.day ?? null)
  if (month !== null && !isWithin(month, 1, 12)) return null
  if (day !== null && !isWithin(day, 1, lastDay(year, month ?? 12))) return null
  return {
    year,
    month,
    day,
    precision: day !== null ? 'day' : month !== null ? 'month' : 'year',
    earliest: utc(year, month ?? 1, day ?? 1),
    latest: utc(year, month ?? 12, day ?? lastDay(year, month ?? 12)),
  }
}

function readIso(text: string): Parts | null {
  const found = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/.exec(text.trim())
  if (!found) return null
  const [year, month, day] = found.slice(1).map((part) => (part === undefined ? null : Number(part)))
  return { year: year ?? 0, month: month ?? null, day: day ?? null }
}

const isWithin = (value: number, from: number, to: number) => Number.isInteger(value) && value >= from && value <= to

const lastDay = (year: number, month: number) => utc(year, month + 1, 0).getUTCDate()

/** Sets the full year, because `Date.UTC` reads years below 100 as 19xx. */
function utc(year: number, month: number, day: number): Date {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date
}
