import { formatValue } from '../../format.ts'

/** A problem in a price document, with its line in the text if known. */
export interface DocumentProblem {
  line: number | null
  text: string
}

/** A document that the service has yet to check. */
export type PriceDocument = { lines: unknown[] } & Record<string, unknown>

/** Parses the text of a price document. Returns a problem if it is not a JSON object. */
export function readDocument(text: string): { document: PriceDocument } | { problem: DocumentProblem } {
  try {
    const document: unknown = JSON.parse(text)
    if (typeof document === 'object' && document !== null && !Array.isArray(document))
      return { document: document as PriceDocument }
    return { problem: { line: 1, text: 'must be an object with "lines"' } }
  } catch (error) {
    const message = error instanceof Error ? error.message : 'is not JSON'
    const at = /position (\d+)/.exec(message)?.[1]
    return { problem: { line: at === undefined ? null : lineAt(text, Number(at)), text: `is not JSON: ${message}` } }
  }
}

/**
 * Names the price line of a problem as the table of the page does, and adds its place in the text. The service reports
 * the problem as `line 3, credits`.
 */
export function located(
  text: string,
  { lines }: PriceDocument,
  { parameter, detail }: { parameter: string; detail: string },
): DocumentProblem {
  const [, item = '', number = '', field = ''] = /^(line|part) (\d+)(?:, (.*))?$/.exec(parameter) ?? []
  const index = Number(number) - 1
  const offset = item === '' ? null : offsetOf(text, `${item}s`, index)
  const name = item === 'line' ? `Line ${number}: ${lineInWords(lines[index])} → ${field}` : parameter
  return { line: offset === null ? null : lineAt(text, offset), text: `${name} ${detail}`.replaceAll('  ', ' ') }
}

const kinds: Record<string, string> = { resolve: 'companies by domain' }
const ways: Record<string, string> = { lookup: 'by identifier', match: 'by match', watch: 'by watch' }
const flags: Record<string, [yes: string, no: string]> = {
  thin: ['thin', 'not thin'],
  bypass: ['past the cache', 'not past the cache'],
  changed: ['changed', 'unchanged'],
}

/** The calls that a line matches, in words: `people, stale`. */
export function lineInWords(line: unknown): string {
  if (typeof line !== 'object' || line === null) return 'unreadable'
  const words = Object.entries(line).flatMap(([name, value]: [string, unknown]) => {
    if (name === 'credits' || value === null) return []
    const text = formatValue(value)
    if (name === 'kind') return kinds[text] ?? text
    if (name === 'by') return ways[text] ?? text
    if (name === 'source') return text === 'stale_fallback' ? 'stale' : text
    return (typeof value === 'boolean' && flags[name]?.[value ? 0 : 1]) || `${name} ${text}`
  })
  return words.length === 0 ? 'every call' : words.join(', ')
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

/** Finds the offset of an item in a list of the document by counting brackets outside strings. */
function offsetOf(text: string, list: string, index: number): number | null {
  const start = new RegExp(`"${list}"\\s*:\\s*\\[`).exec(text)
  if (!start) return null
  let [depth, item] = [0, 0]
  for (const match of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{},]/g)) {
    if (match.index < start.index + start[0].length) continue
    const [token] = match
    if (depth === 0 && token === ']') return null
    if (depth === 0 && item === index && token !== ',') return match.index
    if (token === '{' || token === '[') depth++
    if (token === '}' || token === ']') depth--
    if (token === ',' && depth === 0) item++
  }
  return null
}
