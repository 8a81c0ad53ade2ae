import { createReadStream, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { CommandError } from '../command-error.ts'

/** One row of the input, and where the input stands after it. */
export interface InputRow {
  /** From 1, without the header. */
  number: number
  fields: Record<string, unknown>
}

export interface Input {
  format: 'csv' | 'ndjson'
  /** Null where it cannot be known, as from standard input. */
  totalBytes: number | null
  bytesRead(): number
  rows(): AsyncGenerator<InputRow>
}

/** Opens a file or standard input (`-`) as rows, of any size: only the present row is ever held. */
export function openInput(path: string, format: 'csv' | 'ndjson' | undefined): Input {
  const chosen = format ?? (/\.(ndjson|jsonl)$/i.test(path) ? 'ndjson' : 'csv')
  const stream = path === '-' ? process.stdin : createReadStream(path)
  let bytes = 0
  stream.on('data', (chunk: Buffer | string) => (bytes += chunk.length))
  stream.pause()
  return {
    format: chosen,
    totalBytes: path === '-' ? null : sizeOf(path),
    bytesRead: () => bytes,
    rows: () => (chosen === 'csv' ? csvRows(stream) : ndjsonRows(stream)),
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch (error) {
    throw new CommandError(`${path} cannot be read: is the name right?`, { cause: error })
  }
}

async function* csvRows(stream: Readable): AsyncGenerator<InputRow> {
  const parser = parse({ columns: true, bom: true, skip_empty_lines: true, relax_column_count: true, trim: false })
  stream.on('error', (error) => parser.destroy(error))
  let number = 0
  try {
    for await (const fields of stream.pipe(parser))
      yield { number: ++number, fields: fields as Record<string, unknown> }
  } catch (error) {
    throw new CommandError(
      `The CSV cannot be read after row ${number}: ${String(error instanceof Error ? error.message : error)}`,
    )
  }
}

async function* ndjsonRows(stream: Readable): AsyncGenerator<InputRow> {
  let number = 0
  for await (const line of createInterface({ input: stream, crlfDelay: Infinity })) {
    if (line.trim() === '') continue
    number++
    yield { number, fields: parseObject(line, number) }
  }
}

function parseObject(line: string, number: number): Record<string, unknown> {
  try {
    const value = JSON.parse(line) as unknown
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // Said below, with the row.
  }
  throw new CommandError(`Row ${number} of the input is not a JSON object.`)
}
