import { CsvFault, type CsvForm, type CsvLimits, CsvReader } from './csv-reader.ts'

const delimiters = [',', ';', '\t']
/** Limits for files on the caller's own machine. */
const generous: CsvLimits = { recordLength: 16 * 1_048_576, cells: 100_000 }

interface Options {
  /** Detected from the header unless it is given. */
  delimiter?: string | undefined
  /** A column that the header should have. */
  column: string
  limits?: CsvLimits
}

/** Reads CSV as records, including the header. */
export async function readCsvRecords(
  text: AsyncIterable<string>,
  { delimiter, column, limits = generous }: Options,
): Promise<{ delimiter: string; records: AsyncGenerator<string[]> }> {
  const pieces = text[Symbol.asyncIterator]()
  const { head, endsWithReturn, line } = await readHead(pieces, limits)
  const form = { delimiter: delimiter ?? detectDelimiter(head, endsWithReturn, column), endsWithReturn }
  return { delimiter: form.delimiter, records: csvRecords(head, pieces, new CsvReader(form, limits, line)) }
}

/** The text up to the end of the header, the line in which it begins, and the line end that all lines share. */
async function readHead(pieces: AsyncIterator<string>, { recordLength }: CsvLimits) {
  const seeker = new HeadSeeker()
  let head = ''
  while (!seeker.found) {
    if (head.length > recordLength) throw new CsvFault(`has a header that is longer than ${recordLength / 1024} KB`)
    const next = await pieces.next()
    if (next.done) {
      return { head, endsWithReturn: head.includes('\r') && !head.includes('\n'), line: seeker.line }
    }
    head += seeker.seek(next.value)
  }
  return { head, endsWithReturn: seeker.endsWithReturn, line: seeker.line }
}

/**
 * Finds the first line end outside quotes after a non-empty line. The character after a return decides what the return
 * is.
 */
class HeadSeeker {
  found = false
  /** The line in which the header begins. */
  line = 1
  endsWithReturn = false
  #isQuoted = false
  #hasBegun = false
  #isBehindReturn = false
  #hasDroppedReturn = false

  /** The piece without the empty lines before the header. */
  seek(piece: string): string {
    const line = this.#hasBegun ? piece : piece.replace(/^[\r\n]+/, '')
    for (let at = 0; at < piece.length - line.length; at++) this.#drop(piece[at])
    for (let at = 0; at < line.length && !this.found; at++) {
      const character = line[at]
      if (this.#isBehindReturn) {
        this.found = true
        this.endsWithReturn = character !== '\n'
      } else if (character === '"') this.#isQuoted = !this.#isQuoted
      else if (!this.#isQuoted && character === '\n') this.found = true
      else if (!this.#isQuoted && character === '\r') this.#isBehindReturn = true
    }
    this.#hasBegun ||= line !== ''
    return line
  }

  #drop(character: string | undefined): void {
    if (character === '\r' || !this.#hasDroppedReturn) this.line++
    this.#hasDroppedReturn = character === '\r'
  }
}

/** The delimiter for which the wanted column appears, else the one that splits the header into most cells. */
function detectDelimiter(head: string, endsWithReturn: boolean, column: string): string {
  const headers = delimiters.map((delimiter) => ({ delimiter, cells: headerBy(head, { delimiter, endsWithReturn }) }))
  const fitting = headers.filter(({ cells }) => cells.includes(column))
  const best = (fitting.length > 0 ? fitting : headers).reduce((a, b) => (b.cells.length > a.cells.length ? b : a))
  return best.delimiter
}

function headerBy(head: string, form: CsvForm): string[] {
  const reader = new CsvReader(form, { recordLength: head.length, cells: head.length + 1 })
  try {
    for (const header of reader.push(head)) return header
    return reader.end() ?? []
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error
    // The quotes do not match, so it is another delimiter.
    return []
  }
}

async function* csvRecords(head: string, pieces: AsyncIterator<string>, reader: CsvReader): AsyncGenerator<string[]> {
  try {
    yield* reader.push(head)
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield* reader.push(next.value)
    const last = reader.end()
    if (last) yield last
  } finally {
    await pieces.return?.()
  }
}
