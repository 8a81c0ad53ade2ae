import { leafOf, parseExactly } from '@vitae/service/exact-json'
import type { InputRow } from './input-row.ts'

/** Reads NDJSON as rows. */
export async function* readNdjson(text: AsyncIterable<string>): AsyncGenerator<InputRow> {
  let number = 0
  for await (const line of linesOf(text)) {
    const json = line.trim()
    if (json !== '') yield { number: ++number, ...parseObject(json) }
  }
}

/** A raw line end cannot stand inside JSON, so each kind of line end ends a line. */
async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const piece of text) {
    const lines = (rest + piece).split(/[\r\n]/)
    rest = lines.pop() ?? ''
    yield* lines
  }
  yield rest
}

/** Parses a line. A line that is not an object becomes a failed row, so one bad line does not end a long job. */
function parseObject(line: string): Pick<InputRow, 'fields' | 'problem'> {
  try {
    const value = parseExactly(line)
    if (typeof value === 'object' && value !== null && !Array.isArray(value) && leafOf(value) === undefined)
      return { fields: new Map(Object.entries(value)), problem: null }
  } catch {
    // Reported below.
  }
  return { fields: new Map([['line', line]]), problem: 'the line is not a JSON object' }
}
