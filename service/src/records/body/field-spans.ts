/** The byte range of each field of a record: from the quote before its name to the end of its value. */
export type FieldSpans = ReadonlyMap<string, { start: number; valueStart: number; end: number }>

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a

const known = new WeakMap<Buffer, FieldSpans>()

/** The field spans of a body written by `serialiseRecord`. They are cached for as long as the bytes are in memory. */
export function fieldSpans(body: Buffer): FieldSpans {
  const before = known.get(body)
  if (before) return before
  const found = findSpans(body)
  known.set(body, found)
  return found
}

/** Parses no values: it only tracks strings and brackets. */
function findSpans(body: Buffer): FieldSpans {
  const spans = new Map<string, { start: number; valueStart: number; end: number }>()
  let at = 1
  while (body[at] === quote) {
    const nameEnd = stringEnd(body, at)
    if (body[nameEnd] !== colon) throw new Error('a stored record has an unexpected format')
    const end = valueEnd(body, nameEnd + 1)
    spans.set(body.toString('latin1', at + 1, nameEnd - 1), { start: at, valueStart: nameEnd + 1, end })
    at = body[end] === comma ? end + 1 : end
  }
  return spans
}

/** The position after the closing quote of the string that begins here. */
function stringEnd(body: Buffer, start: number): number {
  let end = body.indexOf(quote, start + 1)
  while (end >= 0 && isEscaped(body, end)) end = body.indexOf(quote, end + 1)
  return end < 0 ? body.length : end + 1
}

function isEscaped(body: Buffer, at: number): boolean {
  let before = at
  while (body[before - 1] === backslash) before--
  return (at - before) % 2 === 1
}

/** The position after the value that begins here: that of a comma or of the record's closing bracket. */
function valueEnd(body: Buffer, start: number): number {
  let depth = 0
  let at = start
  while (at < body.length) {
    const byte = body[at]
    if (byte === quote) {
      at = stringEnd(body, at)
      continue
    }
    if (byte === 0x7b || byte === 0x5b) depth++
    else if (byte === 0x7d || byte === 0x5d) {
      if (depth === 0) return at
      depth--
    } else if (byte === comma && depth === 0) return at
    at++
  }
  return at
}
