import { text } from './text.ts'

/** A full name as first and last: the first word, and all the others. */
export function splitName(value: unknown): { first: string | null; last: string | null } {
  const [first = null, ...others] = text(value)?.split(/\s+/u) ?? []
  return { first, last: others.join(' ') || null }
}
