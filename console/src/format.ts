import { formatIn, otherZone } from './zone.ts'

const grouped = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })
const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 })

/** `12345.6` as `12,345.6`, or as the reader's language groups it. */
export function formatNumber(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : grouped.format(value)
}

/** A number of credits, in words. */
export function formatCredits(credits: number | null): string {
  return credits === 1 ? '1 credit' : `${formatNumber(credits)} credits`
}

/** A number of calls, in words. */
export function formatCalls(calls: number): string {
  return calls === 1 ? '1 call' : `${formatNumber(calls)} calls`
}

/** A share from 0 to 1 as a percentage. */
export function formatShare(share: number | null | undefined): string {
  return share === null || share === undefined ? '–' : `${grouped.format(share * 100)} %`
}

const amounts = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 4 })

/** An amount of money, or of a provider's credits: `0.0525 EUR`. */
export function formatAmount(amount: number | null, unit: string | null): string {
  if (amount === null || unit === null) return '–'
  return `${amount >= 1_000 ? whole.format(amount) : amounts.format(amount)} ${unit}`
}

/** A size in kB, MB or GB. */
export function formatBytes(bytes: number): string {
  const [size, unit] = bytes >= 1e9 ? [1e9, 'GB'] : bytes >= 1e6 ? [1e6, 'MB'] : [1e3, 'kB']
  return `${grouped.format(bytes / size)} ${unit}`
}

/** A duration in milliseconds or seconds, whichever reads better. */
export function formatMs(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '–'
  if (ms < 1) return '< 1 ms'
  if (ms >= 10_000) return `${grouped.format(ms / 1_000)} s`
  return ms >= 10 ? `${whole.format(ms)} ms` : `${grouped.format(ms)} ms`
}

const timeStyle = { dateStyle: 'medium', timeStyle: 'medium' } as const

/** A time in the zone of the page. */
export function formatTime(at: string | number): string {
  return formatIn(timeStyle, new Date(at).getTime())
}

/** The same time in the other zone, for the hover text; null if the browser is in UTC. */
export function formatOther(at: string | number): string | null {
  const zone = otherZone()
  return zone && `${formatIn(timeStyle, new Date(at).getTime(), zone)}, ${zone}`
}

const steps: [limit: number, size: number, unit: string][] = [
  [90, 1, 's'],
  [90 * 60, 60, 'min'],
  [36 * 3_600, 3_600, 'h'],
  [60 * 86_400, 86_400, 'd'],
  [730 * 86_400, 30.44 * 86_400, 'months'],
]

/** A duration rounded down to one unit: `40 s`, `12 min`, `3 d`. */
export function formatSpan(seconds: number): string {
  const [, size, unit] = steps.find(([limit]) => seconds < limit) ?? [0, 365.25 * 86_400, 'years']
  return `${whole.format(Math.floor(seconds / size))} ${unit}`
}

/** The time since or until a moment: `3 d ago`, `in 12 min`. */
export function formatAgo(at: string | number, now = Date.now()): string {
  const seconds = (now - new Date(at).getTime()) / 1_000
  if (Math.abs(seconds) < 5) return 'now'
  return seconds > 0 ? `${formatSpan(seconds)} ago` : `in ${formatSpan(-seconds)}`
}

/** Any value of a record as one line of text. */
export function formatValue(value: unknown): string {
  if (value === null || value === undefined) return '–'
  if (typeof value === 'string') return value
  return typeof value === 'number' ? formatNumber(value) : JSON.stringify(value)
}
