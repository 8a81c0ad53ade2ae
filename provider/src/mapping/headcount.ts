import { integer, object, text } from './text.ts'

export interface Headcount {
  start: number | null
  end: number | null
}

/** A headcount bracket from `10,001+ employees`, `51-200`, `10K-50K`, `Myself Only`, `[10001, null]` or `{start, end}`. */
export function parseHeadcountRange(value: unknown): Headcount | null {
  if (Array.isArray(value)) return bracket(integer(value[0]), integer(value[1]))
  const line = text(value)
  if (line === null) {
    const { start, end } = object(value)
    return bracket(integer(start), integer(end))
  }
  if (/^(myself|self[- ]employed)/i.test(line)) return { start: 1, end: 1 }
  const match = /^(\d[\d,]*k?)(?:\s*(?:-|–|—|to)\s*(\d[\d,]*k?)|\s*(\+))?(?:\s[a-z\s]+)?$/i.exec(line)
  if (!match) return null
  const start = count(match[1])
  if (match[3]) return bracket(start, null)
  return bracket(start, match[2] === undefined ? start : count(match[2]))
}

function count(digits = ''): number | null {
  const known = integer(digits.replace(/k$/i, ''))
  return known !== null && /k$/i.test(digits) ? known * 1_000 : known
}

/** One provider writes an end below the start to mean "and more". */
function bracket(start: number | null, end: number | null): Headcount | null {
  if (start === null && end === null) return null
  return { start, end: start !== null && end !== null && end < start ? null : end }
}
