import { dayMs } from './clock.ts'

/** A number of calls per time window, written `300/60s` or `600/1h`. */
export interface Rate {
  limit: number
  windowMs: number
}

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: dayMs } as const

/** Parses `90s`, `1h`, `0s`, `15m`, `7d`; null for anything else. */
export function parseDuration(text: string): number | null {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text)
  if (!match) return null
  return Number(match[1]) * unitMs[match[2] as keyof typeof unitMs]
}

/** Parses `300/60s`; null for anything else. */
export function parseRate(text: string): Rate | null {
  const [count = '', window = '', ...rest] = text.split('/')
  const windowMs = parseDuration(window)
  if (rest.length > 0 || !/^\d{1,9}$/.test(count) || windowMs === null) return null
  const limit = Number(count)
  return limit >= 1 && windowMs >= 1_000 && windowMs <= 31 * unitMs.d ? { limit, windowMs } : null
}

/** A rate as text, in the largest unit that fits. */
export function formatRate({ limit, windowMs }: Rate): string {
  const unit = windowMs % unitMs.h === 0 ? 'h' : 's'
  return `${limit}/${windowMs / unitMs[unit]}${unit}`
}
