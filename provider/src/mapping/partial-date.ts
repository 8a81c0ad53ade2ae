import type { DateRange, PartialDate, PersonDate } from '@vitae/contract'
import { foldWords, monthOfName, saysOngoing } from './month-names.ts'
import { integer, object, text } from './text.ts'

/** Providers write 0, 1 or 1600 for "no year" and 9999 for "no end". */
const firstYear = 1601
const lastYear = 2100

/** Parses any date format that a provider uses, at its written precision; null without a year. */
export function parsePartialDate(value: unknown): PartialDate | null {
  return parseSince(firstYear, value)
}

/**
 * Like `parsePartialDate`, for founding dates. Universities are older than 1601; the sentinels to reject are 1600 and
 * years below 500.
 */
export function parseFoundedDate(value: unknown): PartialDate | null {
  const date = parseSince(500, value)
  return date?.year === 1600 ? null : date
}

function parseSince(earliest: number, value: unknown): PartialDate | null {
  if (typeof value === 'number') return checked(earliest, value, null, null)
  if (typeof value === 'string') {
    const found = dateInText(value)
    return found && checked(earliest, found.year, found.month, found.day)
  }
  const { year, month, day } = object(value)
  const whole = integer(year)
  if (whole === null) {
    const line = writtenIn(value)
    return line === null ? null : parseSince(earliest, line)
  }
  return checked(earliest, whole, monthNumber(month), integer(day))
}

/** Keeps only valid parts: an impossible month becomes null, and so does a day without a month. */
function checked(earliest: number, year: number, month: number | null, day: number | null): PartialDate | null {
  if (!Number.isInteger(year) || year < earliest || year > lastYear) return null
  if (month === null || month < 1 || month > 12) return { year, month: null, day: null }
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate()
  return { year, month, day: day !== null && day >= 1 && day <= days ? day : null }
}

/** The text of a date without numeric parts: `{text: "Mar 2019"}`, or the `iso` of our own form. */
function writtenIn(value: unknown): string | null {
  const { text: line, iso: own } = object(value)
  return text(typeof line === 'string' ? line : typeof own === 'string' ? own : null)
}

/** The person form of a date. `iso` has exactly the precision of the date. */
export function personDate(date: PartialDate | null): PersonDate | null {
  if (!date) return null
  const { year, month } = date
  const day = month === null ? null : date.day
  const iso = [String(year).padStart(4, '0'), month, day].filter((part) => part !== null)
  return { year, month, day, iso: iso.map((part) => String(part).padStart(2, '0')).join('-') }
}

/** The precision of a provider's dates, and when the provider last saw the item. */
interface RangeNotes {
  coarse?: (date: PartialDate | null) => PartialDate | null
  lastSeen?: unknown
}

/**
 * A period from a provider's start and end values; null if both are unknown. An unreadable end still means that the
 * period is over: see `endedRange`.
 */
export function dateRange(start: unknown, end: unknown, { coarse, lastSeen }: RangeNotes = {}): DateRange | null {
  const exact = coarse ?? ((date: PartialDate | null) => date)
  const from = personDate(exact(parsePartialDate(start)))
  const known = readEnd(end)
  if (known === 'undated') return endedRange(from, lastSeen)
  const to = personDate(exact(known === 'none' || known === 'ongoing' ? null : known))
  return from || to || known === 'ongoing' ? inOrder({ start: from, end: to }) : null
}

/**
 * The period of something that ended at an unknown time. The contract reads a missing end as "ongoing". So the end is
 * the year of the start, or the year in which the provider last saw it. Null if no year is known.
 */
export function endedRange(start: PersonDate | null, lastSeen?: unknown): DateRange | null {
  const end = personDate(yearOnly(start ?? parsePartialDate(lastSeen)))
  return end && { start, end }
}

/** Swaps start and end if the start is later. */
export function inOrder({ start, end }: DateRange): DateRange {
  return start && end && compareDates(start, end) > 0 ? { start: end, end: start } : { start, end }
}

/** Whether a provider's end value means "over", even if it cannot be read as a date. */
export function saysEnded(end: unknown): boolean {
  const known = readEnd(end)
  return known !== 'none' && known !== 'ongoing'
}

const nothing = /^(?:none|null|nil|undefined|n\/?a|not applicable|no end(?: date)?)$/i

/** Classifies an end value: a date, ongoing, nothing stated, or an end without a readable date. */
function readEnd(value: unknown): PartialDate | 'none' | 'ongoing' | 'undated' {
  const date = parsePartialDate(value)
  if (date) return date
  // People Data Labs sends `true` in place of a date that the plan hides.
  if (value === true) return 'undated'
  const line = typeof value === 'string' ? value.trim() : writtenIn(value)
  if (line === null) return isYearless(value) ? 'undated' : 'none'
  if (saysOngoing(line)) return 'ongoing'
  const year = parsePartialDate([...line.matchAll(/(?<!\d)\d{4}(?!\d)/g)].at(-1)?.[0])
  if (year) return year
  return nothing.test(line) || !/\p{L}/u.test(line) ? 'none' : 'undated'
}

/** Whether the value is a month without a year, or a number that is neither a year nor a "no year" sentinel. */
function isYearless(value: unknown): boolean {
  if (typeof value === 'number') return value > 9999
  const { year, month } = object(value)
  return integer(year) === null && monthNumber(month) !== null
}

/** The period of an item with a single date: start and end are that date. */
export function singleDate(value: unknown): DateRange | null {
  const date = personDate(parsePartialDate(value))
  return date && { start: date, end: date }
}

/** The validity period in a line such as `Issued Oct 2017 · Expires Oct 2020See credential`. */
export function issuedRange(value: unknown): DateRange | null {
  const line = text(value) ?? ''
  return dateRange(line.replace(/expire[sd]?\b.*$/is, ''), /expire[sd]?\s*(.*)$/is.exec(line)?.[1])
}

/** Drops the day, for providers that invent it. */
export function withoutDay(date: PartialDate | null): PartialDate | null {
  return date && { year: date.year, month: date.month, day: null }
}

/** Drops month and day, for providers that invent them. */
export function yearOnly(date: PartialDate | null): PartialDate | null {
  return date && { year: date.year, month: null, day: null }
}

/** Negative if `a` is earlier at the precision that both dates share; 0 if they are equal at that precision. */
export function compareDates(a: PartialDate, b: PartialDate): number {
  if (a.year !== b.year) return a.year - b.year
  if (a.month === null || b.month === null) return 0
  if (a.month !== b.month) return a.month - b.month
  return a.day === null || b.day === null ? 0 : a.day - b.day
}

/** The latest day that a date can mean, as a sortable number: 2021 counts as 2021-12-31. */
export function latestDay({ year, month, day }: PartialDate): number {
  return (year * 100 + (month ?? 12)) * 100 + (day ?? 31)
}

/** The item with the latest date, and the first of equals. An undated item is returned only if no item has a date. */
export function latest<Item>(items: readonly Item[], dateOf: (item: Item) => PartialDate | null): Item | null {
  return items.reduce<Item | null>((best, item) => {
    if (best === null) return item
    const [known, date] = [dateOf(best), dateOf(item)]
    if (date === null) return best
    return known === null || compareDates(date, known) > 0 ? item : best
  }, null)
}

interface WrittenDate {
  year: number
  month: number | null
  day: number | null
}

const iso = /^(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?:[T ]\d{1,2}:.*)?$/
const monthYear = /^(\d{1,2})[/.-](\d{4})$/
// Spanish and Portuguese write `3 de marzo de 2019`, Catalan `3 d'abril`.
const of = String.raw`(?:\.?\s+del?\s+|\s+d'|\.?,?\s+)`
const dayMonthName = new RegExp(`(?<!\\d)(\\d{1,2})(?:st|nd|rd|th)?${of}(\\p{L}+)${of}(\\d{4})(?!\\d)`, 'gu')
const monthNameDay = new RegExp(`(?<!\\p{L})(\\p{L}+)${of}(?:(\\d{1,2})(?:st|nd|rd|th)?,?\\s+)?(\\d{4})(?!\\d)`, 'gu')
const yearMonthDay = /(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월](?:\s*(\d{1,2})\s*[日일])?/
const leadingWord = '(?i:issued|since|in|from|founded|published|spring|summer|autumn|fall|winter)?'
// A year counts only at the start of a line and before text that can follow a date, so `1984 Studios` is not a date.
const yearFirst = new RegExp(`^${leadingWord}\\s*(\\d{4})(?=$|[A-Z]|\\s*[-–—,(])`)

/** More than any line with a date has. */
const longestLine = 1_000

/** The month number for a number or a name. */
function monthNumber(value: unknown): number | null {
  const number = integer(value)
  if (number !== null || typeof value !== 'string') return number
  return monthOfName(foldWords(value.trim()))
}

/**
 * The date in a line of text. Lines contain other parts around a `·`: a publisher before it, a duration after it. The
 * last part with a date counts, but never an expiry.
 */
function dateInText(line: string): WrittenDate | null {
  const parts = line
    .slice(-longestLine)
    .split('·')
    .map((part) => part.replace(/expire[sd]?\b.*$/is, '').trim())
  for (const part of parts.toReversed()) {
    const found = dateInPart(part)
    if (found) return found
  }
  return null
}

function dateInPart(part: string): WrittenDate | null {
  let match = iso.exec(part)
  if (match) return written(match[1], match[2], match[3])
  match = monthYear.exec(part)
  if (match) return written(match[2], match[1])
  match = yearMonthDay.exec(part)
  if (match) return written(match[1], match[2], match[3])
  const folded = foldWords(part)
  for (const [, day, month, year] of folded.matchAll(dayMonthName)) {
    if (isMonth(month)) return written(year, month, day)
  }
  for (const [, month, day, year] of folded.matchAll(monthNameDay)) {
    if (isMonth(month)) return written(year, month, day)
  }
  match = yearFirst.exec(part)
  return match ? written(match[1]) : null
}

function isMonth(word: string | undefined): boolean {
  return word !== undefined && monthOfName(word) !== null
}

function written(year?: string, month?: string, day?: string): WrittenDate {
  return { year: Number(year), month: monthNumber(month), day: integer(day) }
}
