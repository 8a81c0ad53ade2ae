import type { DateRange, PersonDate } from '@vitae/contract'

/** Months since year 0, so that a career can be computed by addition and subtraction. */
export type Months = number

/** The month of a year as a number of months. */
export function monthsOf(year: number, month: number): Months {
  return year * 12 + month - 1
}

/** A date as precise as a work history: year and month. */
export function monthDate(months: Months): PersonDate {
  const year = Math.floor(months / 12)
  const month = (months % 12) + 1
  return { year, month, day: null, iso: `${year}-${String(month).padStart(2, '0')}` }
}

/** A date as precise as a school career: the year. */
export function yearDate(year: number): PersonDate {
  return { year, month: null, day: null, iso: String(year) }
}

/** A period of months; a null end means that it is ongoing. */
export function monthRange(start: Months, end: Months | null): DateRange {
  return { start: monthDate(start), end: end === null ? null : monthDate(end) }
}
