import { createReadStream, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { CommandError } from '../command-error.ts'

/** One row of the input, and the position in the input after it. */
export interface InputRow {
  /** From 1, without the header. */
  number: number
  fields: Record<string, unknown>
  /** Why the row cannot be read, or null. */
  problem: string | null
  bytesRead: number
}

export interface Input {
  /** Null where it cannot be known, as from standard input. */
  totalBytes: number | null
  /** The rows until the end, or until the signal. */
  rows(signal?: AbortSignal): AsyncGenerator<InputRow>
}

type Rows = (stream: Readable, signal?: AbortSignal) => AsyncGenerator<InputRow>

/** Opens a file or standard input (`-`) as rows, of any size: only the present row is ever held. */
export function openInput(path: string, format: 'csv' | 'ndjson' | undefined): Input {
  const chosen = format ?? (/\.(ndjson|jsonl)$/i.test(path) ? 'ndjson' : 'csv')
  const read = chosen === 'csv' ? csvRows : ndjsonRows
  const totalBytes = path === '-' ? null : sizeOf(path)
  return { totalBytes, rows: (signal) => closing(path === '-' ? process.stdin : createReadStream(path), read, signal) }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch (error) {
    throw new CommandError(`${path} cannot be read: is the name right?`, { exitCode: 2, cause: error })
  }
}

/** An input that is not read to its end would keep the process waiting. */
async function* closing(stream: Readable, read: Rows, signal?: AbortSignal): AsyncGenerator<InputRow> {
  try {
    yield* read(stream, signal)
  } finally {
    stream.destroy()
  }
}

async function* csvRows(stream: Readable, signal?: AbortSignal): AsyncGenerator<InputRow> {
  const parser = parse({ columns: true, bom: true, skip_empty_lines: true, relax_column_count: true, info: true })
  stream.on('error', (error) => parser.destroy(error))
  const stop = () => void parser.destroy()
  signal?.addEventListener('abort', stop)
  let number = 0
  try {
    for await (const parsed of stream.pipe(parser)) {
      const { record, info } = parsed as { record: Record<string, unknown>; info: { bytes: number } }
      yield { number: ++number, fields: record, problem: null, bytesRead: info.bytes }
    }
  } catch (error) {
    if (signal?.aborted) return
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(`The CSV cannot be read after row ${number}: ${reason}`)
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

async function* ndjsonRows(stream: Readable, signal?: AbortSignal): AsyncGenerator<InputRow> {
  const lines = createInterface({ input: stream, crlfDelay: Infinity })
  const stop = () => lines.close()
  signal?.addEventListener('abort', stop)
  let number = 0
  let bytesRead = 0
  try {
    for await (const line of lines) {
      bytesRead += Buffer.byteLength(line) + 1
      // Some programs begin every text with a byte order mark.
      const text = (number === 0 ? line.replace(/^\uFEFF/, '') : line).trim()
      if (text !== '') yield { number: ++number, bytesRead, ...parseObject(text) }
    }
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

/** A line that is no object is a row that failed, so that one bad line does not end a long job. */
function parseObject(line: string): Pick<InputRow, 'fields' | 'problem'> {
  try {
    const value = JSON.parse(line) as unknown
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { fields: value as Record<string, unknown>, problem: null }
  } catch {
    // Reported below.
  }
  return { fields: { line }, problem: 'the line is not a JSON object' }
}
