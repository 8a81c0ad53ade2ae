import { htmlToText } from './html.ts'

/** A trimmed text, or null for everything that says nothing, dashes included; ids given as numbers become text. */
export function text(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : null
  if (typeof value !== 'string') return null
  // A NUL or half a surrogate pair is refused by PostgreSQL, so no record may hold one.
  const known = value.replaceAll('\0', '').toWellFormed().trim()
  return known === '' || /^[-\u2010-\u2015\s]+$/.test(known) ? null : known
}

/** The value as a list; whatever is not a list is an empty one. */
export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** The value as an object; whatever is not one has no keys. */
export function object(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {}
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A count: numbers, `1,234`, `500+` and `27,387 followers`; never negative, never beyond 2^53. */
export function integer(value: unknown): number | null {
  if (typeof value === 'string') {
    const digits = /^(\d[\d,]*)(?:\.0+)?\s*\+?(?:\s+\p{L}.*)?$/u.exec(value.trim())?.[1]
    return digits === undefined ? null : integer(Number(digits.replaceAll(',', '')))
  }
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return null
  const whole = Math.trunc(value)
  // Adding zero: JSON can hold a minus zero, and writes it as a plain one.
  return Number.isSafeInteger(whole) ? whole + 0 : null
}

/** A yes or no in the forms providers use, null when nothing is said. */
export function flag(value: unknown): boolean | null {
  if (value === true || value === 1 || value === 'true' || value === '1') return true
  if (value === false || value === 0 || value === 'false' || value === '0') return false
  return null
}

/** Every text of a list, in order, without empties and repetitions. */
export function texts(value: unknown): string[] {
  return [...new Set(list(value).flatMap((item) => text(item) ?? []))]
}

/** The texts of a list that may also come as one string with commas, semicolons or bullets between its items. */
export function textList(value: unknown): string[] {
  return texts(typeof value === 'string' ? value.split(/[,;•\n]/) : value)
}

/** A description followed by facts that have no field of their own, one per line, as in `Score: 9`. */
export function withFacts(description: string | null, facts: Record<string, unknown>): string | null {
  const lines = Object.entries(facts).flatMap(([name, value]) => {
    const known = text(value)
    return known === null ? [] : `${name}: ${known}`
  })
  return [...(description === null ? [] : [description]), ...lines].join('\n') || null
}

/** A text that may be HTML, as the text a reader sees. */
export function plainText(value: unknown): string | null {
  return typeof value === 'string' ? text(htmlToText(value)) : text(value)
}
