import { CsvFault, readCsvRecords } from '@vitae/contract/csv'
import { CommandError } from '../../command-error.ts'
import type { Column, InputRow } from './input-row.ts'

interface Options {
  /** Detected from the header by default. */
  delimiter: string | undefined
  /** A required column. */
  column: string
}

type Text = () => AsyncIterable<string>

/** Reads CSV as columns and rows. Cells keep their spaces and quotes; only empty lines are skipped. */
export async function readCsv(
  text: Text,
  options: Options,
): Promise<{ columns: Column[]; rows(): AsyncGenerator<InputRow> }> {
  const first = readRecords(text, options)
  const header = await first.next()
  await first.return(undefined)
  const columns = nameColumns(header.done ? [] : header.value)
  return { columns, rows: () => rowsOf(readRecords(text, options), columns) }
}

/** Parses a delimiter option: one character, or its name. */
export function readDelimiter(text: string, option: string): string {
  const named: Record<string, string> = { comma: ',', semicolon: ';', tab: '\t', '\\t': '\t', pipe: '|' }
  const character = named[text.toLowerCase()] ?? text
  if (character.length === 1 && !/["\r\n]/.test(character)) return character
  throw new CommandError(`${option} must be one character, or comma, semicolon or tab.`, { exitCode: 2 })
}

/** The records with the header. A fault names its line and column. */
async function* readRecords(text: Text, options: Options): AsyncGenerator<string[], undefined> {
  try {
    yield* (await readCsvRecords(text(), options)).records
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error
    throw new CommandError(`The CSV cannot be read: it ${error.message}.`)
  }
}

/** The line and column of a character, both counted from 1. */
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
  await records.next()
  const names = columns.map(({ name }) => name)
  const taken = new Set(names)
  let number = 0
  for await (const record of records) {
    while (names.length < record.length) names.push(freeName('extra', names.length - columns.length + 1, taken))
    const fields = new Map(record.map((cell, index) => [names[index] ?? '', cell]))
    yield { number: ++number, fields, problem: null }
  }
}
