import { CsvFault, readCsvRecords } from '@vitae/contract/csv'

/** The column names of a CSV file and a few rows for the preview. */
export interface CsvHead {
  columns: string[]
  rows: string[][]
}

/** A file ready for upload: its content in UTF-8, its column names and first rows. */
export interface ReadFile {
  name: string
  /** The file itself, or its text converted to UTF-8. */
  body: Blob
  encoding: string
  head: CsvHead
}

const bytesAtMost = 50 * 1_048_576
const headBytes = 65_536
const rowsShown = 5

/**
 * Checks the start of a file and throws an error for users if it is not CSV. Only a file that needs conversion is read
 * completely.
 */
export async function readFile(file: File): Promise<ReadFile> {
  if (file.size === 0) throw new Error('The file is empty.')
  if (file.size > bytesAtMost) throw new Error('The file is larger than 50 MB. Split it.')
  const start = new Uint8Array(await file.slice(0, headBytes).arrayBuffer())
  const encoding = encodingOf(start)
  if (encoding === null) throw new Error('This is not a text file. Save the table as CSV and choose that file.')
  const head = await readHead(decode(start, encoding), file.size <= headBytes)
  if (head.columns.every((column) => column.trim() === '')) throw new Error('The columns of the file have no names.')
  if (head.rows.length === 0) throw new Error('The file has no rows below the column names.')
  const body = encoding === 'utf-8' ? file : new Blob([decode(new Uint8Array(await file.arrayBuffer()), encoding)])
  return { name: file.name, body, encoding, head }
}

/** Ends the reading behind the start of a larger file: the record at the cut is neither complete nor wrong. */
class Cut extends Error {}

/** Reads the first rows with the parser of the service. */
async function readHead(text: string, isWhole: boolean): Promise<CsvHead> {
  async function* pieces() {
    yield text
    if (!isWhole) throw new Cut()
  }
  const found: string[][] = []
  try {
    const { records } = await readCsvRecords(pieces(), { column: '' })
    for await (const record of records) if (found.push(record) > rowsShown) break
  } catch (error) {
    if (error instanceof CsvFault) throw new Error(`The file ${error.message}.`, { cause: error })
    if (!(error instanceof Cut)) throw error
  }
  const [columns, ...rows] = found
  if (!columns) throw new Error('The file has no line with column names.')
  return { columns, rows }
}

/** Guesses the column with the ids: first by profile URLs in its values, then by its name. */
export function likelyColumn({ columns, rows }: CsvHead): string {
  const byName = [/linkedin|profile.?url|company.?url/i, /profile|slug|identifier/i, /url|link/i, /(^|_)id$/i]
  const named = byName.flatMap((pattern) => columns.filter((column) => pattern.test(column)))
  const filled = columns.filter((_, place) => rows.some((row) => /\/(in|company)\//.test(row[place] ?? '')))
  return filled[0] ?? named[0] ?? columns.find((column) => column !== '') ?? ''
}

/**
 * Detects the encoding as the CLI does: byte order mark, then valid UTF-8, then windows-1252 as Excel writes it. Null
 * means binary.
 */
function encodingOf(head: Uint8Array): string | null {
  const [first, second] = head
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (head.includes(0)) return null
  try {
    // `stream` allows a last character that is cut in the middle.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return 'utf-8'
  } catch {
    return 'windows-1252'
  }
}

function decode(bytes: Uint8Array, encoding: string): string {
  return new TextDecoder(encoding).decode(bytes)
}
