import { CsvError } from 'csv-parse'
import { readCsvRecords } from '../../foundation/csv/csv-records.ts'
import { Failure } from '../../foundation/failure.ts'
import { readJsonInput } from './json-input.ts'
import { unreadable } from './unreadable.ts'

export const inputTypes = ['application/json', 'text/csv', 'application/x-ndjson'] as const
export type InputType = (typeof inputTypes)[number]

const bytesAtMost = 50 * 1_048_576
const recordBytesAtMost = 131_072
const idAtMost = 4_096
/** In any case, because slugs are lower-cased. */
const apiKey = /^vt_(?:test|live)_[0-9a-z]{38}$/i

interface Source {
  type: InputType
  bytes: AsyncIterable<Buffer>
  /** Where the ids stand in CSV and NDJSON. */
  column: string | null
  /** What JSON says besides the ids. */
  settings: Map<string, unknown>
}

/** The ids of a body, one by one as they arrive. A row that is no usable text is null, and does not end the reading. */
export async function* readInput({ type, bytes, column, settings }: Source): AsyncGenerator<string | null> {
  const text = decoded(limited(bytes))
  if (type === 'application/json') for await (const value of readJsonInput(text, settings)) yield usable(value)
  else if (type === 'text/csv') yield* readCsv(text, column)
  else for await (const line of lines(text)) yield usable(idInLine(line, column ?? 'id'))
}

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

async function* readCsv(text: AsyncIterable<string>, column: string | null): AsyncGenerator<string | null> {
  try {
    const { records } = await readCsvRecords(text, { column: column ?? '', maxRecordBytes: recordBytesAtMost })
    let place: number | null = null
    for await (const record of records) {
      if (place === null) place = placeOf(record, column)
      else yield usable(record[place] ?? '')
    }
    if (place === null) throw unreadable('is empty')
  } catch (error) {
    if (error instanceof CsvError)
      throw unreadable('is not valid CSV: its quotes do not match, or a record is longer than 128 KB')
    throw error
  }
}

function placeOf(header: readonly string[], column: string | null): number {
  const place = column === null && header.length === 1 ? 0 : header.indexOf(column ?? '')
  if (place >= 0) return place
  const names = header.slice(0, 20).map((name) => name.slice(0, 40))
  const detail =
    column === null
      ? `is required, because the CSV has more than one: ${names.join(', ')}`
      : `is not in the CSV, which has: ${names.join(', ')}`
  throw new Failure('invalid_request', { detail: `column ${detail}.`, errors: [{ parameter: 'column', detail }] })
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

/** A line is an id as JSON text, or an object that has it. */
function idInLine(line: string, column: string): unknown {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value !== 'object' || value === null) return value
    return Object.hasOwn(value, column) ? (value as Record<string, unknown>)[column] : null
  } catch {
    return null
  }
}

/** A key that was sent by mistake is kept nowhere. */
function usable(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || text.length > idAtMost || apiKey.test(text.trim())) return null
  return text
}
