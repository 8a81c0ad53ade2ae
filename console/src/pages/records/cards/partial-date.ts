import type { DateRange, PartialDate } from '@vitae/contract'

const month = new Intl.DateTimeFormat(undefined, { month: 'short', timeZone: 'UTC' })

/** A date with its known parts only: `Mar 2019`, `2019`. */
export function dateText(date: PartialDate | null): string {
  if (date === null) return ''
  if (date.month === null) return String(date.year)
  const name = month.format(new Date(Date.UTC(2000, date.month - 1, 1)))
  return `${date.day === null ? '' : `${date.day} `}${name} ${date.year}`
}

/** A period of time. Without an end it reads "now", unless `once` marks a one-day event. */
export function rangeText(range: DateRange | null, { once = false } = {}): string {
  if (range === null) return ''
  const start = dateText(range.start)
  const end = range.end === null ? (range.start && !once ? 'now' : '') : dateText(range.end)
  return start && end ? `${start} – ${end}` : start || end
}
