const dayMs = 86_400_000

/** The named time windows, in the URL as `time`. Custom days are `from` and `to`. */
export const times = [
  ['hour', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['today', 'Today'],
  ['yesterday', 'Yesterday'],
  ['7d', '7 days'],
  ['30d', '30 days'],
  ['90d', '90 days'],
  ['month', 'This month'],
  ['last-month', 'Last month'],
] as const
export type TimeName = (typeof times)[number][0] | 'any' | 'days'

/** A time window: the parameters for the service, the URL query and a description. */
export interface TimeWindow {
  name: TimeName
  /** Its query in the URL. */
  query: Record<string, string>
  since: string | null
  until: string | null
  /** First and last day if the window consists of whole UTC days. */
  days: { from: string; to: string } | null
  /** Description that completes its name. */
  words: string
}

/** Reads the time window from a URL query. Days are UTC days; the last one may not be over yet. */
export function readWindow(query: URLSearchParams, usual: TimeName, now = Date.now()): TimeWindow {
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? '']
  if (isDay(from) && isDay(to) && from <= to) return daysWindow('days', from, to, { from, to })
  const name = times.find(([known]) => known === query.get('time'))?.[0] ?? usual
  return namedWindow(name, now)
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))
}

function namedWindow(name: TimeName, now: number): TimeWindow {
  const open = { name, query: { time: name }, until: null, days: null }
  if (name === 'hour') return { ...open, since: '1h', words: 'up to now' }
  if (name === '24h') return { ...open, since: '24h', words: 'up to now' }
  if (name === 'any' || name === 'days') return { ...open, query: {}, since: null, words: '' }
  const today = dayOf(now)
  const firstOf = (later: number) => {
    const date = new Date(now)
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later)
  }
  const spans = {
    today: [today, today],
    yesterday: [dayOf(now - dayMs), dayOf(now - dayMs)],
    '7d': [dayOf(now - 6 * dayMs), today],
    '30d': [dayOf(now - 29 * dayMs), today],
    '90d': [dayOf(now - 89 * dayMs), today],
    month: [dayOf(firstOf(0)), today],
    'last-month': [dayOf(firstOf(-1)), dayOf(firstOf(0) - dayMs)],
  } as const
  const [from, to] = spans[name]
  return daysWindow(name, from, to, { time: name })
}

function daysWindow(name: TimeName, from: string, to: string, query: Record<string, string>): TimeWindow {
  const until = dayOf(Date.parse(to) + dayMs)
  return { name, query, since: from, until, days: { from, to }, words: `${daysInWords(from, to)}, UTC` }
}

/** The UTC day of a time, such as `2026-11-14`. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

const months = new Intl.DateTimeFormat('en-GB', { month: 'long', timeZone: 'UTC' })

/** Formats `1 to 16 November 2026`; a month or year that both days share appears once. */
export function daysInWords(from: string, to: string): string {
  const [first, last] = [partsOf(from), partsOf(to)]
  const end = `${last.day} ${last.month} ${last.year}`
  if (from === to) return end
  if (first.year !== last.year) return `${first.day} ${first.month} ${first.year} to ${end}`
  return first.month === last.month ? `${first.day} to ${end}` : `${first.day} ${first.month} to ${end}`
}

function partsOf(day: string) {
  const at = new Date(day)
  return { day: at.getUTCDate(), month: months.format(at), year: at.getUTCFullYear() }
}
