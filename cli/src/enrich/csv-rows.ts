import { Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { parse as parseNow } from 'csv-parse/sync'
import { CommandError } from '../command-error.ts'
import type { Column, InputRow, OpenInput } from './read-rows.ts'
import { peek } from './read-text.ts'

const delimiters = [',', ';', '\t']
const headCharacters = 65_536

interface Options {
  /** Found in the header unless it is given. */
  delimiter: string | undefined
  /** A column that the header must have. */
  column: string
}

/** Reads CSV as rows. Every cell is kept, with blanks and quotes as they are; only lines without anything are skipped. */
export async function readCsv(text: AsyncIterable<string>, options: Options, signal?: AbortSignal): Promise<OpenInput> {
  const { pieces, all } = await peek(text, (read) => hasHeader(read.join('')))
  const head = pieces.join('')
  const delimiter = options.delimiter ?? detectDelimiter(head, options.column)
  const records = csvRecords(all, { delimiter, record_delimiter: lineEnds(head) }, signal)
  const header = await records.next()
  const columns = nameColumns(header.done ? [] : header.value)
  return { columns, delimiter, rows: rowsOf(records, columns) }
}

/** Reads `--delimiter`: one character, or its name. */
export function readDelimiter(text: string): string {
  const named: Record<string, string> = { comma: ',', semicolon: ';', tab: '\t', '\\t': '\t', pipe: '|' }
  const character = named[text.toLowerCase()] ?? text
  if (character.length === 1 && !/["\r\n]/.test(character)) return character
  throw new CommandError('--delimiter must be one character, or comma, semicolon or tab.', { exitCode: 2 })
}

/** The header ends with the first line end outside of quotes. */
function hasHeader(head: string): boolean {
  return head.length >= headCharacters || /^(?:[^"\r\n]|"[^"]*")*[\r\n]/.test(head)
}

/** A line feed may end lines of either kind; without any, the carriage return does. */
function lineEnds(head: string): string[] {
  return head.includes('\n') ? ['\r\n', '\n'] : ['\r']
}

/** The delimiter that makes the wanted column appear, else the one that divides the header most. */
function detectDelimiter(head: string, column: string): string {
  const headers = delimiters.map((delimiter) => ({ delimiter, cells: headerBy(head, delimiter) }))
  const fitting = headers.filter(({ cells }) => cells.includes(column))
  const best = (fitting.length > 0 ? fitting : headers).reduce((a, b) => (b.cells.length > a.cells.length ? b : a))
  return best.delimiter
}

function headerBy(head: string, delimiter: string): string[] {
  try {
    const [header] = parseNow(head, { delimiter, record_delimiter: lineEnds(head), to: 1, skip_empty_lines: true })
    return header ?? []
  } catch {
    // Quotes in the wrong places: another delimiter.
    return []
  }
}

async function* csvRecords(
  text: AsyncGenerator<string>,
  options: { delimiter: string; record_delimiter: string[] },
  signal?: AbortSignal,
): AsyncGenerator<string[]> {
  const parser = parse({ ...options, skip_empty_lines: true, relax_column_count: true })
  const source = Readable.from(text, { objectMode: false })
  source.on('error', (error) => parser.destroy(error))
  const stop = () => void parser.destroy()
  signal?.addEventListener('abort', stop)
  let count = 0
  try {
    for await (const record of source.pipe(parser)) {
      count++
      yield record as string[]
    }
  } catch (error) {
    if (signal?.aborted) return
    if (error instanceof CommandError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(`The CSV cannot be read after row ${Math.max(0, count - 1)}: ${reason}`)
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

/** Gives columns of one name different names, so that no cell hides another: the second `note` is `note_2`. */
function nameColumns(header: readonly string[]): Column[] {
  const taken = new Set(header)
  const seen = new Set<string>()
  return header.map((title) => {
    const name = seen.has(title) ? freeName(title, 2, taken) : title
    seen.add(title)
    return { name, title }
  })
}

function freeName(title: string, from: number, taken: Set<string>): string {
  let number = from
  while (taken.has(`${title}_${number}`)) number++
  taken.add(`${title}_${number}`)
  return `${title}_${number}`
}

async function* rowsOf(records: AsyncGenerator<string[]>, columns: readonly Column[]): AsyncGenerator<InputRow> {
  const names = columns.map(({ name }) => name)
  const taken = new Set(names)
  let number = 0
  for await (const record of records) {
    while (names.length < record.length) names.push(freeName('extra', names.length - columns.length + 1, taken))
    const fields = new Map(record.map((cell, index) => [names[index] ?? '', cell]))
    yield { number: ++number, fields, problem: null }
  }
}
