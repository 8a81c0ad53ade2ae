import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { peek } from './peek.ts'
import { leafOf, parseExactly } from '@vitae/service/exact-json'
import type { InputRow, OpenInput } from './input-row.ts'

/** Reads NDJSON as rows. The columns come from the first row, because later rows are not known yet. */
export async function readNdjson(text: AsyncIterable<string>, signal?: AbortSignal): Promise<OpenInput> {
  const { pieces, all } = await peek(rowsOf(text, signal), (read) => read.length > 0)
  const names = pieces[0]?.problem === null ? [...pieces[0].fields.keys()] : []
  return { columns: names.map((name) => ({ name, title: name })), rows: all }
}

async function* rowsOf(text: AsyncIterable<string>, signal?: AbortSignal): AsyncGenerator<InputRow> {
  const source = Readable.from(text, { objectMode: false })
  const lines = createInterface({ input: source, crlfDelay: Infinity })
  let fault: Error | null = null
  source.on('error', (error) => {
    fault = error
    lines.close()
  })
  const stop = () => lines.close()
  signal?.addEventListener('abort', stop)
  let number = 0
  try {
    for await (const line of lines) {
      const json = line.trim()
      if (json !== '') yield { number: ++number, ...parseObject(json) }
    }
    if (fault) throw fault as Error
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

/** Parses a line. A line that is not an object becomes a failed row, so one bad line does not end a long job. */
function parseObject(line: string): Pick<InputRow, 'fields' | 'problem'> {
  try {
    const value = parseExactly(line)
    if (typeof value === 'object' && value !== null && !Array.isArray(value) && leafOf(value) === undefined)
      return { fields: new Map(Object.entries(value)), problem: null }
  } catch {
    // Reported below.
  }
  return { fields: new Map([['line', line]]), problem: 'the line is not a JSON object' }
}
