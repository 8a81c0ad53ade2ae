import { addDays, dayOf, startOfDay, zoneName } from '../../zone.ts'

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
  /** First and last day if the window consists of whole days. */
  days: { from: string; to: string } | null
  /** Description that completes its name. */
  words: string
}

/** Reads the time window from a URL query. Days are those of the page's zone; the last one may not be over yet. */
export function readWindow(query: URLSearchParams, usual: TimeName, now = Date.now()): TimeWindow {
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? '']
  if (isDay(from) && isDay(to) && from <= to) return daysWindow('days', from, to, { from, to })
  const name = times.find(([known]) => known === query.get('time'))?.[0] ?? usual
  return namedWindow(name, now)
}

/** The time axis of a chart: the start of every bucket of the chosen window, with or without data. */
export interface Span {
  at: number[]
  bucketMs: number
}

/** The axis of a window. The service chooses the length of its buckets; the window ends at its last day, even in the future. */
export function spanOf(window: TimeWindow, answer: { since: string; until: string; bucket_seconds?: number }): Span {
  const bucketMs = (answer.bucket_seconds ?? 86_400) * 1_000
  const until = Date.parse(window.until ?? answer.until)
  const at: number[] = []
  const since = Date.parse(answer.since)
  if (bucketMs < dayMs) for (let time = since - (since % bucketMs); time < until; time += bucketMs) at.push(time)
  // A day may have 23 or 25 hours.
  else for (let day = dayOf(since); startOfDay(day) < until; day = addDays(day, 1)) at.push(startOfDay(day))
  return { at, bucketMs }
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
  const month = `${today.slice(0, 7)}-01`
  const monthBefore = `${addDays(month, -1).slice(0, 7)}-01`
  const spans = {
    today: [today, today],
    yesterday: [addDays(today, -1), addDays(today, -1)],
    '7d': [addDays(today, -6), today],
    '30d': [addDays(today, -29), today],
    '90d': [addDays(today, -89), today],
    month: [month, today],
    'last-month': [monthBefore, addDays(month, -1)],
  } as const
  const [from, to] = spans[name]
  return daysWindow(name, from, to, { time: name })
}

function daysWindow(name: TimeName, from: string, to: string, query: Record<string, string>): TimeWindow {
  const [since, until] = [momentOf(from), momentOf(addDays(to, 1))]
  return { name, query, since, until, days: { from, to }, words: daysInWords(from, to) }
}

/** When a day begins, for the service, which reads a day as a UTC day. */
function momentOf(day: string): string {
  return zoneName() === 'UTC' ? day : new Date(startOfDay(day)).toISOString()
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
