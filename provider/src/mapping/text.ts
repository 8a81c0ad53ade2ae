import { htmlToText } from './html.ts'

/** The trimmed text, or null if it is empty or only dashes. Numeric ids become text. */
export function text(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : null
  if (typeof value !== 'string') return null
  // PostgreSQL refuses a NUL or a lone surrogate, so no record may contain one.
  const known = value.replaceAll('\0', '').toWellFormed().trim()
  return known === '' || /^[-\u2010-\u2015\s]+$/.test(known) ? null : known
}

/** More combining marks on a letter than any script has. */
const manyMarks = /(\p{M}{30})\p{M}+/gu

/**
 * The text in a Unicode form, in linear time. `normalize` sorts the marks of a letter in time with the square of their
 * number, so 80,000 marks take seconds; only the first 30 are kept.
 */
export function normalised(text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string {
  return (text.length > 30 ? text.replace(manyMarks, '$1') : text).normalize(form)
}

/** The value as a list; anything else becomes an empty list. */
export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** The value as an object; anything else becomes an empty object. */
export function object(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {}
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A count: numbers, `1,234`, `500+` and `27,387 followers`; never negative, never beyond 2^53. */
export function integer(value: unknown): number | null {
  if (typeof value === 'string') {
    const digits = /^(\d[\d,]*)(?:\.0+)?(?:\s*\+)?(?:\s+\p{L}.*)?$/u.exec(value.trim())?.[1]
    return digits === undefined ? null : integer(Number(digits.replaceAll(',', '')))
  }
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return null
  const whole = Math.trunc(value)
  // Adding zero turns -0 into 0, because JSON would write -0 as 0.
  return Number.isSafeInteger(whole) ? whole + 0 : null
}

/** A boolean in the forms that providers use; null if none is given. */
export function flag(value: unknown): boolean | null {
  if (value === true || value === 1 || value === 'true' || value === '1') return true
  if (value === false || value === 0 || value === 'false' || value === '0') return false
  return null
}

/** The texts of a list in order, without empty ones and duplicates. */
export function texts(value: unknown): string[] {
  return [...new Set(list(value).flatMap((item) => text(item) ?? []))]
}

/** The texts of a list, or of a string that separates its items with commas, semicolons or bullets. */
export function textList(value: unknown): string[] {
  return texts(typeof value === 'string' ? value.split(/[,;•\n]/) : value)
}

/** The description, followed by extra facts one per line, such as `Score: 9`. */
export function withFacts(description: string | null, facts: Record<string, unknown>): string | null {
  const lines = Object.entries(facts).flatMap(([name, value]) => {
    const known = text(value)
    return known === null ? [] : `${name}: ${known}`
  })
  return [...(description === null ? [] : [description]), ...lines].join('\n') || null
}

/** The visible text of a value that may be HTML. */
export function plainText(value: unknown): string | null {
  return typeof value === 'string' ? text(htmlToText(value)) : text(value)
}
