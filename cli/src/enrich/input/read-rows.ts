import { appendFileSync, createReadStream, statSync, type Stats } from 'node:fs'
import type { Readable } from 'node:stream'
import { CommandError } from '../../command-error.ts'
import { openUnnamedFile } from '../unnamed-file.ts'
import { readCsv } from './csv-rows.ts'
import type { Column, InputRow } from './input-row.ts'
import { readNdjson } from './ndjson-rows.ts'
import { decode, detectEncoding } from './read-text.ts'

export interface Input {
  totalRows: number
  encoding: string
  columns: readonly Column[]
  /** Reads the rows from the start; it can be called again. */
  rows(): AsyncGenerator<InputRow>
}

interface Options {
  format: 'csv' | 'ndjson' | undefined
  encoding: string | undefined
  delimiter: string | undefined
  /** The required columns. */
  columns: readonly string[]
}

/**
 * Opens a file or a pipe (`-` is standard input) as rows, one in memory at a time. The input is read once in advance, so
 * that an unreadable one is found before anything is paid for.
 */
export async function openInput(path: string, options: Options): Promise<Input> {
  const open = await reopenable(path)
  const encoding = await detectEncoding(open, options.encoding)
  const text = () => decode(open(), encoding)
  const isNdjson = (options.format ?? (/\.(ndjson|jsonl)$/i.test(path) ? 'ndjson' : 'csv')) === 'ndjson'
  // In NDJSON, any row may have the required column.
  if (isNdjson)
    return { encoding, ...(await survey([], () => readNdjson(text()), options)), rows: () => readNdjson(text()) }
  const csv = await readCsv(text, { delimiter: options.delimiter, column: options.columns[0] ?? '' })
  requireColumns(csv.columns, options.columns)
  return { encoding, ...(await survey(csv.columns, csv.rows, options)), rows: csv.rows }
}

/** A source that can be read again. A pipe is copied, because it can be read only once. */
async function reopenable(path: string): Promise<() => Readable> {
  if (path !== '-' && statOf(path).isFile()) return () => createReadStream(path)
  const copy = openUnnamedFile()
  for await (const piece of path === '-' ? process.stdin : createReadStream(path)) appendFileSync(copy, piece as Buffer)
  return () => createReadStream('', { fd: copy, start: 0, autoClose: false })
}

/** Collects the columns of all rows, and counts the rows. */
async function survey(columns: readonly Column[], rows: () => AsyncGenerator<InputRow>, options: Options) {
  const known = new Map(columns.map((each) => [each.name, each]))
  let totalRows = 0
  for await (const { number, fields } of rows()) {
    totalRows = number
    for (const name of fields.keys()) if (!known.has(name)) known.set(name, { name, title: name })
  }
  const all = [...known.values()]
  if (totalRows > 0) requireColumns(all, options.columns)
  return { columns: all, totalRows }
}

function requireColumns(columns: readonly Column[], wanted: readonly string[]): void {
  const column = wanted.find((one) => !columns.some(({ name }) => name === one))
  if (column === undefined) return
  const has = columns.length === 0 ? 'It is empty' : `It has: ${columns.map(({ name }) => name).join(', ')}`
  throw new CommandError(`The input has no column ${column}. ${has}.`, { exitCode: 2 })
}

function statOf(path: string): Stats {
  try {
    return statSync(path)
  } catch (error) {
    throw new CommandError(`${path} cannot be read: check the name.`, { exitCode: 2, cause: error })
  }
}
