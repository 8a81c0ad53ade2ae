import type { Credits, FilledFrom, RateLimit } from './answer.ts'

/** What this client reads of the headers of an answer. */
export type HeaderReader = { get(name: string): string | null }

/** A header that holds a whole number, or null where it is absent or something else. */
export function readCount(headers: HeaderReader, name: string): number | null {
  const text = headers.get(name)
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null
}

/** A header that holds a point in time, or null. */
export function readTime(headers: HeaderReader, name: string): Date | null {
  return parseTime(headers.get(name), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/)
}

/** `Date` alone makes a point in time of almost any text, so the text must look like one first. */
function parseTime(text: string | null, form: RegExp): Date | null {
  const time = new Date(text !== null && form.test(text) ? text : Number.NaN)
  return Number.isNaN(time.getTime()) ? null : time
}

/** The rate limit's state as the answer tells it. */
export function readRateLimit(headers: HeaderReader): RateLimit {
  return {
    limit: readCount(headers, 'x-ratelimit-limit'),
    remaining: readCount(headers, 'x-ratelimit-remaining'),
    resetSeconds: readCount(headers, 'x-ratelimit-reset'),
  }
}

/** The credits' state as the answer tells it. */
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

/** The elements of `X-Filled-From`, a list of RFC 9651. Elements without fields or age are left out. */
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
