import { integer } from './text.ts'

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
export function monthNumber(value: unknown): number | null {
  const number = integer(value)
  if (number !== null || typeof value !== 'string') return number
  const known = new RegExp(`^${monthName}\\.?$`, 'i').test(value.trim())
  return known ? months.indexOf(value.trim().slice(0, 3).toLowerCase()) + 1 : null
}

/**
 * The date written in a line of text. Lines carry other matter around a `·` (a publisher before it, a duration
 * after it), so the last part that holds a date counts, but never an expiry.
 */
export function dateInText(line: string): WrittenDate | null {
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
