import type { DateRange, PartialDate, PersonDate } from '@vitae/contract'
import { integer, object, text } from './text.ts'

/** Providers write 0, 1 or 1600 for "no year" and 9999 for "no end". */
const firstYear = 1601
const lastYear = 2100

/** Any form of date a provider uses, as precise as it is written; null without a year. */
export function parsePartialDate(value: unknown): PartialDate | null {
  return parseSince(firstYear, value)
}

/** Like `parsePartialDate`, for founding dates: universities are older than the sentinels, which are 1600 and below 500. */
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
  const { year, month, day, text: written } = object(value)
  const whole = integer(year)
  if (whole === null) return typeof written === 'string' ? parseSince(earliest, written) : null
  return checked(earliest, whole, monthNumber(month), integer(day))
}

/** Keeps the parts that can be: a month that does not exist is unknown, and so is a day of an unknown month. */
function checked(earliest: number, year: number, month: number | null, day: number | null): PartialDate | null {
  if (!Number.isInteger(year) || year < earliest || year > lastYear) return null
  if (month === null || month < 1 || month > 12) return { year, month: null, day: null }
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate()
  return { year, month, day: day !== null && day >= 1 && day <= days ? day : null }
}

/** Whether a provider says in words that something goes on. */
export function isPresent(value: unknown): boolean {
  if (typeof value === 'string') return /^(present|now|current(ly)?|ongoing|today)\b/i.test(value.trim())
  const { year, text: written } = object(value)
  return integer(year) === null && typeof written === 'string' && isPresent(written)
}

/** The person form of a date: `iso` is exactly as precise as the date. */
export function personDate(date: PartialDate | null): PersonDate | null {
  if (!date) return null
  const { year, month } = date
  const day = month === null ? null : date.day
  const iso = [String(year).padStart(4, '0'), month, day].filter((part) => part !== null)
  return { year, month, day, iso: iso.map((part) => String(part).padStart(2, '0')).join('-') }
}

/** A period from whatever a provider gives for its ends; null when nothing is known of it. */
export function dateRange(start: unknown, end: unknown): DateRange | null {
  const from = personDate(parsePartialDate(start))
  const to = personDate(parsePartialDate(end))
  return from || to || isPresent(end) ? { start: from, end: to } : null
}

/** The period of something that has one date: it begins and ends then. */
export function singleDate(value: unknown): DateRange | null {
  const date = personDate(parsePartialDate(value))
  return date && { start: date, end: date }
}

/** The validity in a line such as `Issued Oct 2017 · Expires Oct 2020See credential`. */
export function issuedRange(value: unknown): DateRange | null {
  const line = text(value) ?? ''
  return dateRange(line.replace(/expire[sd]?\b.*$/is, ''), /expire[sd]?\s*(.*)$/is.exec(line)?.[1])
}

/** Drops a day that the provider made up. */
export function withoutDay(date: PartialDate | null): PartialDate | null {
  return date && { year: date.year, month: date.month, day: null }
}

/** Drops a month and a day that the provider made up. */
export function yearOnly(date: PartialDate | null): PartialDate | null {
  return date && { year: date.year, month: null, day: null }
}

/** Negative when `a` is earlier, at the precision both have; 0 when that cannot tell them apart. */
export function compareDates(a: PartialDate, b: PartialDate): number {
  if (a.year !== b.year) return a.year - b.year
  if (a.month === null || b.month === null) return 0
  if (a.month !== b.month) return a.month - b.month
  return a.day === null || b.day === null ? 0 : a.day - b.day
}

/** The item with the latest date; one without a date only when none has one. Of equals the first stays. */
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

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const monthName =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)'

const iso = /^(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?:[T ]\d{1,2}:.*)?$/
const monthYear = /^(\d{1,2})[/.-](\d{4})$/
const dayMonthName = new RegExp(
  `(?<!\\d)(\\d{1,2})(?:st|nd|rd|th)?\\.?\\s+(${monthName})\\b\\.?,?\\s+(\\d{4})(?!\\d)`,
  'i',
)
const monthNameDay = new RegExp(`\\b(${monthName})\\b\\.?\\s+(?:(\\d{1,2})(?:st|nd|rd|th)?,?\\s+)?(\\d{4})(?!\\d)`, 'i')
const leadingWord = '(?i:issued|since|in|from|founded|published|spring|summer|autumn|fall|winter)?'
// A year counts at the head of a line and followed by what may follow a date, or `1984 Studios` would be one.
const yearFirst = new RegExp(`^${leadingWord}\\s*(\\d{4})(?=$|[A-Z]|\\s*[-–—,(])`)

/** The number of a month given as a number or by name. */
function monthNumber(value: unknown): number | null {
  const number = integer(value)
  if (number !== null || typeof value !== 'string') return number
  const known = new RegExp(`^${monthName}\\.?$`, 'i').test(value.trim())
  return known ? months.indexOf(value.trim().slice(0, 3).toLowerCase()) + 1 : null
}

/**
 * The date written in a line of text. Lines carry other matter around a `·` (a publisher before it, a duration
 * after it), so the last part that holds a date counts, but never an expiry.
 */
function dateInText(line: string): WrittenDate | null {
  const parts = line.split('·').map((part) => part.replace(/expire[sd]?\b.*$/is, '').trim())
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
  match = dayMonthName.exec(part)
  if (match) return written(match[3], match[2], match[1])
  match = monthNameDay.exec(part)
  if (match) return written(match[3], match[1], match[2])
  match = yearFirst.exec(part)
  return match ? written(match[1]) : null
}

function written(year?: string, month?: string, day?: string): WrittenDate {
  return { year: Number(year), month: monthNumber(month), day: integer(day) }
}
