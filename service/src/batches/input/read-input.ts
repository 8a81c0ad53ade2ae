import { Failure } from '../../foundation/failure.ts'
import { readCsv } from './csv-input.ts'
import { type InputRow, type Mapping, objectRow } from './input-row.ts'
import { readJsonInput } from './json-input.ts'
import { addName, recordBytesAtMost } from './limits.ts'
import { unreadable } from './unreadable.ts'

export const inputTypes = ['application/json', 'text/csv', 'application/x-ndjson'] as const
export type InputType = (typeof inputTypes)[number]

const bytesAtMost = 50 * 1_048_576

interface Source {
  type: InputType
  bytes: AsyncIterable<Buffer>
  /** Where things stand in CSV and NDJSON. */
  mapping: Mapping
  /** What JSON says besides the rows. */
  settings: Map<string, unknown>
  /** Gets the names of the columns that come back, in the order in which they appear. */
  header: string[]
}

/** The rows of a body, one by one as they arrive. One that names nobody does not end the reading. */
export async function* readInput({ type, bytes, mapping, settings, header }: Source): AsyncGenerator<InputRow> {
  const text = decoded(limited(bytes))
  if (type === 'text/csv') return yield* readCsv(text, mapping, header)
  const seen = new Set<string>()
  const values = type === 'application/json' ? readJsonInput(text, settings) : parsedLines(text)
  for await (const value of values) {
    const row = objectRow(value, mapping)
    for (const name of Object.keys(row.columns ?? {})) {
      if (!seen.has(name)) addName(header, name)
      seen.add(name)
    }
    yield row
  }
}

/** Ends a body that is too large. What was compressed is counted as it is unpacked, so that a small body stays one. */
async function* limited(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let size = 0
  for await (const piece of bytes) {
    size += piece.length
    if (size > bytesAtMost) throw new Failure('body_too_large', { detail: 'A batch is at most 50 MB. Split the file.' })
    yield piece
  }
}

/** UTF-8 only: anything else would be guessed, and wrong guesses are paid for. */
async function* decoded(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (piece?: Buffer) => {
    try {
      return piece ? decoder.decode(piece, { stream: true }) : decoder.decode()
    } catch {
      throw unreadable('is not UTF-8 text')
    }
  }
  for await (const piece of bytes) {
    const text = decode(piece)
    if (text.includes('\0')) throw unreadable('is not text')
    if (text !== '') yield text
  }
  const rest = decode()
  if (rest !== '') yield rest
}

/** A line that is no JSON is a row that names nobody. */
async function* parsedLines(text: AsyncIterable<string>): AsyncGenerator {
  for await (const line of lines(text)) {
    try {
      yield JSON.parse(line)
    } catch {
      yield null
    }
  }
}

async function* lines(text: AsyncIterable<string>): AsyncGenerator<string> {
  let open = ''
  for await (const piece of text) {
    const parts = (open + piece).split('\n')
    open = parts.pop() ?? ''
    if (open.length > recordBytesAtMost) throw unreadable('has a line that is longer than 128 KB')
    for (const line of parts) if (line.trim() !== '') yield line
  }
  if (open.trim() !== '') yield open
}
