import { Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { parse as parseNow } from 'csv-parse/sync'

const delimiters = [',', ';', '\t']
const headCharacters = 65_536

interface Options {
  /** Found in the header unless it is given. */
  delimiter?: string | undefined
  /** A column that the header should have. */
  column: string
  /** A record of more bytes is an error; without it a quote that is never closed would collect the rest of the input. */
  maxRecordBytes?: number
  signal?: AbortSignal | undefined
}

/** The first pieces of a source, as many as are enough, and the whole source with them. */
export async function peek<T>(source: AsyncIterable<T>, enough: (pieces: readonly T[]) => boolean) {
  const rest = source[Symbol.asyncIterator]()
  const pieces: T[] = []
  while (!enough(pieces)) {
    const next = await rest.next()
    if (next.done) break
    pieces.push(next.value)
  }
  async function* all(): AsyncGenerator<T> {
    yield* pieces
    yield* { [Symbol.asyncIterator]: () => rest }
  }
  return { pieces, all: all() }
}

/** Reads CSV as records, the header among them. Every cell is kept as it is; only lines without anything are skipped. */
export async function readCsvRecords(
  text: AsyncIterable<string>,
  options: Options,
): Promise<{ delimiter: string; records: AsyncGenerator<string[]> }> {
  const { pieces, all } = await peek(text, headerSeeker())
  const head = pieces.join('').slice(0, headCharacters)
  const delimiter = options.delimiter ?? detectDelimiter(head, options.column)
  return { delimiter, records: csvRecords(all, { ...options, delimiter, lineEnds: lineEnds(head) }) }
}

/**
 * The header is the first line with anything in it, and ends with the first line end outside of quotes. What a carriage return is, the
 * character behind it tells.
 */
const headerEnd = /^[\r\n]*(?:[^"\r\n]|"[^"]*")+(\r?\n|\r(?=[^\n]))/

/** Tells of a growing list of pieces whether the header is in them. It looks each time that there is twice as much: pieces may be single characters. */
function headerSeeker(): (pieces: readonly string[]) => boolean {
  let lookAt = 0
  let length = 0
  return (pieces) => {
    length += pieces.at(-1)?.length ?? 0
    if (length < lookAt) return false
    lookAt = 2 * length
    return hasHeader(pieces.join(''))
  }
}

function hasHeader(head: string): boolean {
  return head.length >= headCharacters || headerEnd.test(head)
}

/** Lines end as the header does, however much has been read behind it. */
function lineEnds(head: string): string[] {
  const [, end = head.includes('\n') ? '\n' : '\r'] = headerEnd.exec(head) ?? []
  return end === '\r' ? ['\r'] : ['\r\n', '\n']
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
  { delimiter, lineEnds: record_delimiter, maxRecordBytes = 0, signal }: Options & { lineEnds: string[] },
): AsyncGenerator<string[]> {
  const parser = parse({
    delimiter: delimiter ?? ',',
    record_delimiter,
    max_record_size: maxRecordBytes,
    skip_empty_lines: true,
    relax_column_count: true,
  })
  const source = Readable.from(text, { objectMode: false })
  source.on('error', (error) => parser.destroy(error))
  const stop = () => void parser.destroy()
  signal?.addEventListener('abort', stop)
  try {
    for await (const record of source.pipe(parser)) yield record as string[]
  } catch (error) {
    if (!signal?.aborted) throw error
  } finally {
    signal?.removeEventListener('abort', stop)
    source.destroy()
  }
}
