import type { Credits, FilledFrom, RateLimit } from './answer.ts'

/** The part of a `Headers` object that this client uses. */
export type HeaderReader = { get(name: string): string | null }

/** A header with a whole number; null if it is absent or anything else. */
export function readCount(headers: HeaderReader, name: string): number | null {
  const text = headers.get(name)
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null
}

/** A header with a point in time, or null. */
export function readTime(headers: HeaderReader, name: string): Date | null {
  return parseTime(headers.get(name), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/)
}

/** Checks the format first, because `Date` accepts almost any text. */
function parseTime(text: string | null, form: RegExp): Date | null {
  const time = new Date(text !== null && form.test(text) ? text : Number.NaN)
  return Number.isNaN(time.getTime()) ? null : time
}

/** The state of the rate limit from the headers. */
export function readRateLimit(headers: HeaderReader): RateLimit {
  return {
    limit: readCount(headers, 'x-ratelimit-limit'),
    remaining: readCount(headers, 'x-ratelimit-remaining'),
    resetSeconds: readCount(headers, 'x-ratelimit-reset'),
  }
}

/** The state of the credits from the headers. */
export function readCredits(headers: HeaderReader): Credits {
  return {
    charged: readCount(headers, 'x-credits-charged'),
    remaining: readCount(headers, 'x-credits-remaining'),
    ceilingRemaining: readCount(headers, 'x-credits-ceiling-remaining'),
  }
}

/** The names in `X-Ignored-Parameters`. */
export function readIgnoredParameters(headers: HeaderReader): string[] {
  const names = headers.get('x-ignored-parameters')?.split(',') ?? []
  return names.map((name) => name.trim()).filter((name) => name !== '')
}

const listElement = /("(?:[^"\\]|\\.)*"|[^\s",;]+)((?:\s*;\s*[a-z*][\w.*-]*(?:=(?:"(?:[^"\\]|\\.)*"|[^\s",;]+))?)*)/g
const listParameter = /;\s*([a-z*][\w.*-]*)=("(?:[^"\\]|\\.)*"|[^\s",;]+)/g

/** The elements of `X-Filled-From`, an RFC 9651 list. Elements without fields or age are skipped. */
export function readFilledFrom(headers: HeaderReader): FilledFrom[] {
  const elements = [...(headers.get('x-filled-from') ?? '').matchAll(listElement)]
  return elements.flatMap(([, provider = '', parameters = '']) => {
    const given = new Map([...parameters.matchAll(listParameter)].map(([, name, value = '']) => [name, value]))
    const fields = unquote(given.get('fields') ?? '').split(',')
    const age = given.get('age') ?? ''
    if (fields.includes('') || !/^\d{1,15}$/.test(age)) return []
    return [{ provider: unquote(provider), fields, ageSeconds: Number(age) }]
  })
}

/** The text of a token or a quoted string. */
function unquote(item: string): string {
  return item.startsWith('"') ? item.slice(1, -1).replace(/\\(.)/g, '$1') : item
}

/** `Retry-After` in seconds. Vitae sends seconds; a proxy may send a date. */
export function readRetryAfterSeconds(headers: HeaderReader, wallClockMs: number): number | null {
  const seconds = readCount(headers, 'retry-after')
  if (seconds !== null) return seconds
  const time = parseTime(headers.get('retry-after'), /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/)
  return time && Math.max(0, Math.ceil((time.getTime() - wallClockMs) / 1000))
}
