import type { batchInputTypes } from '@vitae/contract'
import { Failure } from '../../foundation/failure.ts'
import { readCsv } from './csv-input.ts'
import { type InputRow, type Mapping, objectRow } from './input-row.ts'
import { JsonInput, type JsonSettings } from './json-input.ts'
import { checkNesting, ColumnNames, recordLengthAtMost, unreadable } from './limits.ts'

export type InputType = (typeof batchInputTypes)[number]

const bytesAtMost = 50 * 1_048_576

interface Source {
  type: InputType
  bytes: AsyncIterable<Buffer>
  /** The columns of a CSV or NDJSON file. */
  mapping: Mapping
  /** The settings of a JSON body. */
  settings: JsonSettings
  /** Receives the names of the returned columns, in order of appearance. */
  header: string[]
}

/** The rows of a body, one by one as they arrive. A row that names nobody does not stop the reading. */
export async function* readInput({ type, bytes, mapping, settings, header }: Source): AsyncGenerator<InputRow> {
  const text = decoded(limited(bytes))
  if (type === 'text/csv') return yield* readCsv(text, mapping, header)
  const names = new ColumnNames(header)
  const values = type === 'application/json' ? readJson(text, settings) : parsedLines(text)
  for await (const value of values) {
    const row = objectRow(value, mapping)
    for (const name of Object.keys(row.columns ?? {})) names.add(name)
    yield row
  }
}

async function* readJson(text: AsyncIterable<string>, settings: JsonSettings): AsyncGenerator {
  const input = new JsonInput(settings)
  for await (const piece of text) yield* input.push(piece)
  input.end()
}

/** Stops a body that is too large. Compressed bodies are counted after decompression. */
async function* limited(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let size = 0
  for await (const piece of bytes) {
    size += piece.length
    if (size > bytesAtMost) throw new Failure('body_too_large', { detail: 'A batch is at most 50 MB. Split the file.' })
    yield piece
  }
}

/** UTF-8 only: any other encoding would have to be guessed, and wrong guesses would be paid for. */
async function* decoded(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let line = 1
  const decode = (piece?: Buffer) => {
    try {
      return piece ? decoder.decode(piece, { stream: true }) : decoder.decode()
    } catch {
      throw unreadable(`is not UTF-8 text: see line ${line + linesBefore(piece ?? Buffer.alloc(0))}`)
    }
  }
  for await (const piece of bytes) {
    const text = decode(piece)
    const zero = text.indexOf('\0')
    if (zero >= 0) throw unreadable(`is not text: line ${line + lineEnds(text.slice(0, zero))} has a zero byte`)
    line += lineEnds(text)
    if (text !== '') yield text
  }
  const rest = decode()
  if (rest !== '') yield rest
}

function lineEnds(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}

/** The line ends before the first byte of a piece that is not UTF-8. A character may begin in the piece before. */
function linesBefore(piece: Buffer): number {
  const start = piece.findIndex((byte) => byte >> 6 !== 0b10)
  const text = piece.subarray(Math.min(Math.max(start, 0), 3)).toString()
  return lineEnds(text.slice(0, Math.max(0, text.indexOf('\uFFFD'))))
}

async function* parsedLines(text: AsyncIterable<string>): AsyncGenerator {
  let line = ''
  for await (const piece of text) {
    const [rest = '', ...lines] = piece.split('\n')
    line += rest
    if (line.length > recordLengthAtMost) throw unreadable('has a line that is longer than 128 KB')
    for (const next of lines) {
      if (line.trim() !== '') yield parsedLine(line)
      line = next
    }
  }
  if (line.trim() !== '') yield parsedLine(line)
}

/** A line that is not JSON is a row that names nobody. */
function parsedLine(line: string): unknown {
  let value: unknown = null
  try {
    value = JSON.parse(line)
  } catch {
    return null
  }
  checkNesting(value)
  return value
}
