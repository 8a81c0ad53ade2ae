import { readCsvRecords } from '@vitae/service/csv-records'
import { CommandError } from '../../command-error.ts'
import type { Column, InputRow, OpenInput } from './input-row.ts'

interface Options {
  /** Detected from the header by default. */
  delimiter: string | undefined
  /** A required column. */
  column: string
}

/** Reads CSV as rows. Cells keep their spaces and quotes; only empty lines are skipped. */
export async function readCsv(text: AsyncIterable<string>, options: Options, signal?: AbortSignal): Promise<OpenInput> {
  const opened = await readCsvRecords(text, { ...options, signal })
  const { delimiter } = opened
  const records = readable(opened.records)
  const header = await records.next()
  const columns = nameColumns(header.done ? [] : header.value)
  return { columns, delimiter, rows: rowsOf(records, columns) }
}

/** Parses a delimiter option: one character, or its name. */
export function readDelimiter(text: string, option: string): string {
  const named: Record<string, string> = { comma: ',', semicolon: ';', tab: '\t', '\\t': '\t', pipe: '|' }
  const character = named[text.toLowerCase()] ?? text
  if (character.length === 1 && !/["\r\n]/.test(character)) return character
  throw new CommandError(`${option} must be one character, or comma, semicolon or tab.`, { exitCode: 2 })
}

/** Adds to a parse error how many records were read before it. */
async function* readable(records: AsyncGenerator<string[]>): AsyncGenerator<string[]> {
  let count = 0
  try {
    for await (const record of records) {
      count++
      yield record
    }
  } catch (error) {
    if (error instanceof CommandError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(`The CSV cannot be read after row ${Math.max(0, count - 1)}: ${reason}`)
  }
}

/** Renames duplicate columns, so that no cell hides another: the second `note` becomes `note_2`. */
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
