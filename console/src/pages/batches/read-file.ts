import { readCsvHead, type CsvHead } from './csv-head.ts'

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

/**
 * Checks the start of a file and throws an error for users if it is not CSV. Only a file that needs conversion is read
 * completely.
 */
export async function readFile(file: File): Promise<ReadFile> {
  if (file.size === 0) throw new Error('The file is empty.')
  if (file.size > bytesAtMost) throw new Error('The file is larger than 50 MB. Cut it into several.')
  const head = new Uint8Array(await file.slice(0, headBytes).arrayBuffer())
  const encoding = encodingOf(head)
  if (encoding === null) throw new Error('This is no text. Save the table as CSV and choose that file.')
  const csv = readCsvHead(decode(head, encoding), file.size <= headBytes)
  if (!csv) throw new Error('The file has no line with the names of its columns.')
  if (csv.columns.every((column) => column.trim() === '')) throw new Error('The columns of the file have no names.')
  if (csv.rows.length === 0) throw new Error('The file has no rows below the names of its columns.')
  const body = encoding === 'utf-8' ? file : new Blob([decode(new Uint8Array(await file.arrayBuffer()), encoding)])
  return { name: file.name, body, encoding, head: csv }
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
