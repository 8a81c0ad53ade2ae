import { createReadStream, statSync, type Stats } from 'node:fs'
import type { Readable } from 'node:stream'
import { CommandError } from '../../command-error.ts'
import { readCsv } from './csv-rows.ts'
import type { Column, OpenInput } from './input-row.ts'
import { readNdjson } from './ndjson-rows.ts'
import { decode, detectEncoding } from './read-text.ts'

export interface Input {
  /** Null if unknown, as for a pipe. */
  totalRows: number | null
  encoding: string | null
  /** Opens the columns and rows, until the end or the signal. A pipe can be opened only once. */
  open(signal?: AbortSignal): Promise<OpenInput>
}

interface Options {
  format: 'csv' | 'ndjson' | undefined
  encoding: string | undefined
  delimiter: string | undefined
  /** The required columns. */
  columns: readonly string[]
}

/**
 * Opens a file or a pipe (`-` is standard input) as rows, one in memory at a time. A file is read once in advance, so
 * that unreadable input is found before anything is paid for.
 */
export async function openInput(path: string, options: Options): Promise<Input> {
  const isFile = path !== '-' && statOf(path).isFile()
  const source = () => (path === '-' ? process.stdin : createReadStream(path))
  const first = source()
  const { encoding, all } = await detectEncoding(first, isFile ? path : null, options.encoding)
  if (!isFile) {
    const open = async (signal?: AbortSignal) => {
      const opened = await openRows(path, options, closing(first, decode(all, encoding), signal), signal)
      if (opened.columns.length > 0) requireColumns(opened.columns, options.columns)
      return opened
    }
    return { totalRows: null, encoding, open }
  }
  first.destroy()
  const openFile = (signal?: AbortSignal) => {
    const stream = source()
    return openRows(path, options, closing(stream, decode(stream, encoding), signal), signal)
  }
  const { columns, totalRows } = await survey(await openFile(), options.columns)
  return { totalRows, encoding, open: async (signal) => ({ ...(await openFile(signal)), columns }) }
}

async function openRows(
  path: string,
  options: Options,
  text: AsyncGenerator<string>,
  signal?: AbortSignal,
): Promise<OpenInput> {
  const format = options.format ?? (/\.(ndjson|jsonl)$/i.test(path) ? 'ndjson' : 'csv')
  // In NDJSON, a later row may have the required column.
  if (format === 'ndjson') return readNdjson(text, signal)
  const opened = await readCsv(text, { ...options, column: options.columns[0] ?? '' }, signal)
  if (!signal?.aborted) requireColumns(opened.columns, options.columns)
  return opened
}

/** Collects the columns of all rows, and counts the rows. */
async function survey({ columns, rows }: OpenInput, wanted: readonly string[]) {
  const known = new Map(columns.map((each) => [each.name, each]))
  let totalRows = 0
  for await (const { number, fields } of rows) {
    totalRows = number
    for (const name of fields.keys()) if (!known.has(name)) known.set(name, { name, title: name })
  }
  const all = [...known.values()]
  if (totalRows > 0) requireColumns(all, wanted)
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
    throw new CommandError(`${path} cannot be read: is the name right?`, { exitCode: 2, cause: error })
  }
}

/** Closes the input at its end or at the signal; an open pipe would keep the process alive. */
async function* closing(stream: Readable, text: AsyncGenerator<string>, signal?: AbortSignal): AsyncGenerator<string> {
  const stop = () => void stream.destroy()
  signal?.addEventListener('abort', stop)
  try {
    yield* text
  } catch (error) {
    if (!signal?.aborted) throw error
  } finally {
    signal?.removeEventListener('abort', stop)
    stream.destroy()
  }
}
