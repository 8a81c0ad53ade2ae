/** A problem in a price document, with its line in the text if known. */
export interface DocumentProblem {
  line: number | null
  text: string
}

/** Parses the text of a price document. Returns a problem if it is not a JSON object. */
export function readDocument(text: string): { document: object } | { problem: DocumentProblem } {
  try {
    const document: unknown = JSON.parse(text)
    if (typeof document === 'object' && document !== null && !Array.isArray(document)) return { document }
    return { problem: { line: 1, text: 'must be an object with "lines"' } }
  } catch (error) {
    const message = error instanceof Error ? error.message : 'is not JSON'
    const at = /position (\d+)/.exec(message)?.[1]
    return { problem: { line: at === undefined ? null : lineAt(text, Number(at)), text: `is not JSON: ${message}` } }
  }
}

/** Adds the line in the text to a problem that the service reports as `line 3, credits`. */
export function located(text: string, { parameter, detail }: { parameter: string; detail: string }): DocumentProblem {
  const [, item = '', number = ''] = /^(line|part) (\d+)/.exec(parameter) ?? []
  const offset = item === '' ? null : offsetOf(text, `${item}s`, Number(number) - 1)
  return { line: offset === null ? null : lineAt(text, offset), text: `${parameter} ${detail}` }
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
